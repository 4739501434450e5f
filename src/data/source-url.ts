// Sources of files: paths, URLs of the file server, and other URLs.
import { valueError } from './errors.ts'

/** Protocols a source may have; the first group is fetched from elsewhere. */
export const REMOTE_PROTOCOLS: readonly string[] = ['http', 'https', 'ftp', 'swift', 's3']
export const VALID_PROTOCOLS: readonly string[] = ['salt', 'file', ...REMOTE_PROTOCOLS]

/** `urllib.parse.urlparse`, as far as sources need it. */
export function urlParts(url: string): { scheme: string; netloc: string; path: string } {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? ''
  const rest = scheme === '' ? url : url.slice(scheme.length + 1)
  const plain = rest.replace(/#.*$/s, '').replace(/\?.*$/s, '')
  if (!plain.startsWith('//')) return { scheme, netloc: '', path: plain }
  const end = plain.indexOf('/', 2)
  return { scheme, netloc: end < 0 ? plain.slice(2) : plain.slice(2, end), path: end < 0 ? '' : plain.slice(end) }
}

export const schemeOf = (url: string): string => urlParts(url).scheme

/** The URL with user and password in it, percent-encoded; without either it stays as it is. Only for HTTPS. */
export function withBasicAuth(url: string, user: string | null, password: string | null): string {
  if (user === null && password === null) return url
  const { scheme, netloc } = urlParts(url)
  if (scheme !== 'https') throw valueError('Basic Auth only supported for HTTPS')
  const info = [user ?? 'None', ...(password === null ? [] : [password])].map(percentEncoded).join(':')
  return url.replace(`//${netloc}`, `//${info}@${netloc}`)
}

const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** The URL without the password in it. */
export function redactUrl(url: string): string {
  return url.replace(/(https?|ftps?):\/\/.*@/gi, '$1://<redacted>@')
}

/** A path below a root of the file server, and the environment that the URL names. */
export function parseSaltUrl(url: string): { path: string; saltenv: string | undefined } {
  if (!url.startsWith('salt://')) return { path: url, saltenv: undefined }
  const rest = url.slice('salt://'.length)
  const old = rest.indexOf('?env=')
  const at = rest.indexOf('?saltenv=')
  if (old >= 0) return { path: rest.slice(0, old).replace(/^\/+/, ''), saltenv: undefined }
  if (at < 0) return { path: rest.replace(/^\/+/, ''), saltenv: undefined }
  return { path: rest.slice(0, at).replace(/^\/+/, ''), saltenv: rest.slice(at + '?saltenv='.length) || undefined }
}

export function makeSaltUrl(path: string, saltenv?: string): string {
  return `salt://${path}${saltenv ? `?saltenv=${saltenv}` : ''}`
}
