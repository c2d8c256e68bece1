/** Where the service stands inside another server: `/club` when its lists are at `/club/api/v1/events`. */
import { getPath } from 'hono/utils/url'

/** Every path of the service itself. */
const own = /^\/(?:$|api\/v1(?:\/|$)|l\/|(?:docs|healthz|readyz)$)/

/**
 * The path of a request below the mount path. Some servers take the mount path off before they hand on a request
 * (`app.mount` of Hono, `app.use` of Express), others do not.
 *
 * @param mountPath '' (the root), or a path without a `/` at its end
 */
export function pathBelow(mountPath: string): (request: Request) => string {
  return (request) => {
    const path = getPath(request)
    if (path === mountPath) return '/'
    const rest = path.startsWith(`${mountPath}/`) ? path.slice(mountPath.length) : path
    return own.test(rest) ? rest : path
  }
}
