import { BlockList, isIP } from 'node:net'
import { isLoopback, withoutBrackets } from '../common/listen.ts'
import { InvalidValueError } from '../common/parse-values.ts'
import { parseProxy } from '../source/http/proxy.ts'
import type { Environment } from './secrets.ts'

/**
 * The HTTP proxy that the environment names for an address, in the variables that curl and most programs read: `https_proxy` or
 * `http_proxy` by its scheme, unless `no_proxy` has its host; each also in capital letters. Null: none, and none ever leads to this machine.
 *
 * @throws InvalidValueError naming the variable
 */
export function readProxy(url: URL, environment: Environment): URL | null {
  // guard: proxy for this machine
  if (isLoopback(url.hostname)) return null
  const [variable, address] = valueOf(environment, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  const [, exceptions] = valueOf(environment, 'no_proxy')
  if (address === '' || isExcepted(url, exceptions)) return null
  try {
    return parseProxy(address)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new InvalidValueError(
      `${variable} ${error.message}. NO_PROXY names hosts that are reached without a proxy`,
    )
  }
}

function valueOf(environment: Environment, name: string): readonly [variable: string, value: string] {
  const inCapitals = name.toUpperCase()
  const variable = environment[name] === undefined ? inCapitals : name
  return [variable, environment[variable]?.trim() ?? '']
}

/** Entries between commas or blanks: a host, which stands for those below it, an address, a range of addresses, or `*`. */
function isExcepted(url: URL, exceptions: string): boolean {
  const host = withoutBrackets(url.hostname).replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return exceptions.split(/[\s,]+/).some((entry) => {
    const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
    if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false
    const meant = withoutBrackets(name.toLowerCase())
    if (meant === '*') return true
    if (isIP(host) !== 0) return isInRange(host, meant)
    const domain = meant.replace(/^\*?\./, '').replace(/\.$/, '')
    return host === domain || host.endsWith(`.${domain}`)
  })
}

/** @param range or one address, which IPv6 spells in many ways */
function isInRange(address: string, range: string): boolean {
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const [, network = '', bits = longest] = /^(.+?)(?:\/(\d{1,3}))?$/.exec(range) ?? []
  if (isIP(network) !== version || Number(bits) > longest) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(address, family)
}
