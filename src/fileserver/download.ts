// Sources from elsewhere: web servers, FTP servers and S3 buckets. All failures are errors of the minion, in Salt's words.
import { lookup, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, redactUrl, SaltError, urlParts, type Value } from '../data/mod.ts'
import { fromNodeError, type Host } from '../host/mod.ts'
import { openUrl } from '../http/mod.ts'
import type { FetchOptions } from './file-client.ts'

type Download = (host: Host, opts: Dict, url: string, target: string, options: FetchOptions) => Promise<void>

const refused = (message: string, cause?: unknown): SaltError => new SaltError('MinionError', message, { cause })

/** Brings it to a path; with `useEtag` only when the server has another version than last time. */
export const download: Download = async (host, opts, url, target, options) => {
  const { scheme } = urlParts(url)
  const fetched = BY_SCHEME[scheme]
  if (scheme === 'swift') throw refused(`Could not fetch from ${redactUrl(url)}. Exception: no support for ${scheme}`)
  if (!fetched) throw refused(`Unsupported url scheme: ${redactUrl(url)}`)
  await fetched(host, opts, url, target, options)
}

const fromWeb: Download = async (host, opts, url, target, options) => {
  const tagFile = `${target}.etag`
  const isKnown = options.useEtag && (await host.stat(tagFile)) && (await host.stat(target))
  const known = isKnown
    ? Buffer.from(await host.read(tagFile))
        .toString()
        .trim()
    : ''
  const response = await ask(host, opts, url, known === '' ? {} : { 'If-None-Match': known }, options)
  if (response.status === 304) return
  if (response.status >= 300) {
    throw refused(`Error: HTTP ${response.status}: ${response.reason} reading ${urlParts(url).path}`)
  }
  await host.writeStream(target, response.body, { mode: 0o600 })
  const tag = response.headers.get('Etag')
  if (options.useEtag && tag) await host.write(tagFile, tag)
}

async function ask(host: Host, opts: Dict, url: string, headers: Record<string, string>, { verifySsl }: FetchOptions) {
  const bare = new URL(url)
  const { username, password } = bare
  bare.username = bare.password = ''
  const parameters = new Map<string, Value>([
    ['url', bare.href],
    ['header_dict', dictFrom(headers)],
    ['verify_ssl', verifySsl ?? null],
  ])
  if (username !== '') {
    parameters.set('username', decodeURIComponent(username)).set('password', decodeURIComponent(password))
  }
  try {
    return await openUrl(host, opts, parameters)
  } catch (error) {
    throw refused(`Error: ${toError(fromNodeError(error)).message} reading ${urlParts(url).path}`, error)
  }
}

const fromFtp: Download = async (host, opts, url, target) => {
  const { retrieve } = await import('./ftp.ts')
  const seconds = option(opts, 'fileserver_ftp_timeout')
  try {
    await host.writeStream(target, retrieve(new URL(url), seconds), { mode: 0o600 })
  } catch (error) {
    throw refused(
      `Could not retrieve ${redactUrl(url)} from FTP server. Exception: ${toError(fromNodeError(error)).message}`,
      error,
    )
  }
}

const fromS3: Download = async (host, opts, url, target) => {
  const { openObject } = await import('./s3.ts')
  try {
    await host.writeStream(target, await openObject(host, opts, url), { mode: 0o600 })
  } catch (error) {
    throw refused(`Could not fetch from ${url}. Exception: ${toError(fromNodeError(error)).message}`, error)
  }
}

const BY_SCHEME: Readonly<Record<string, Download>> = lookup({
  http: fromWeb,
  https: fromWeb,
  ftp: fromFtp,
  ftps: fromFtp,
  s3: fromS3,
})
