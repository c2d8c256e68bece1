/**
 * `process.env` is a command's own while that command runs in the process of the tests, and everywhere else what it was.
 * Loaded before every module of `src`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type Variables = Record<string, string | undefined>

const environments = new AsyncLocalStorage<Variables>()
const own = process.env
const current = () => environments.getStore() ?? own

process.env = new Proxy<Variables>(
  {},
  {
    get: (_, name) => Reflect.get(current(), name),
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(current(), name),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(current(), name, descriptor),
  },
)

export function withEnvironment<T>(variables: Readonly<Variables>, work: () => Promise<T>): Promise<T> {
  return environments.run({ ...variables }, work)
}
