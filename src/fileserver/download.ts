// Sources from elsewhere: http and https.
import { redactUrl, SaltError, urlParts } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { trustSystem } from '../http/mod.ts'
import type { FetchOptions } from './file-client.ts'

const refused = (message: string, cause?: unknown): SaltError => new SaltError('MinionError', message, { cause })

/** Brings it to a path; with `useEtag` only when the server has another version than last time. */
export async function download(host: Host, url: string, target: string, options: FetchOptions): Promise<void> {
  const { scheme, path } = urlParts(url)
  if (scheme !== 'http' && scheme !== 'https') {
    throw refused(`Could not fetch from ${redactUrl(url)}. Exception: no support for ${scheme}`)
  }
  const tagFile = `${target}.etag`
  const known = options.useEtag && (await host.stat(tagFile)) ? Buffer.from(await host.read(tagFile)).toString() : ''
  const response = await send(url, known === '' ? {} : { 'If-None-Match': known })
  if (response.status === 304) return
  if (!response.ok || response.body === null) {
    throw refused(`Error: HTTP ${response.status}: ${response.statusText} reading ${path}`)
  }
  await host.writeStream(target, response.body as unknown as AsyncIterable<Uint8Array>, { mode: 0o600 })
  const tag = response.headers.get('etag')
  if (options.useEtag && tag) await host.write(tagFile, tag)
}

async function send(url: string, headers: Record<string, string>): Promise<Response> {
  const parsed = new URL(url)
  const { username, password } = parsed
  if (username !== '') {
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers['Authorization'] = `Basic ${Buffer.from(login).toString('base64')}`
    parsed.username = parsed.password = ''
  }
  if (parsed.protocol === 'https:') await trustSystem()
  try {
    return await fetch(parsed, { headers })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw refused(`Error: ${cause} reading ${urlParts(url).path}`, error)
  }
}
