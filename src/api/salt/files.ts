// Files that the API serves for a web application: `app`, `static` and `favicon`.
import { createReadStream, promises as files } from 'node:fs'
import { extname, join, normalize, sep } from 'node:path'
import { Readable } from 'node:stream'
import { HttpError } from '../errors.ts'
import { messageOf } from './answers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** Answer with a file; `shown` is its path for callers. */
export async function serveFile(path: string, request: Request, shown: string): Promise<Response> {
  const facts = await files.stat(path).catch(() => undefined)
  if (!facts?.isFile()) throw pathNotFound(shown)
  const headers = new Headers({
    'Content-Type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
    'Last-Modified': facts.mtime.toUTCString(),
    'X-Content-Type-Options': 'nosniff',
  })
  const since = Date.parse(request.headers.get('if-modified-since') ?? '')
  if (since >= Math.floor(facts.mtimeMs / 1000) * 1000) return new Response(null, { status: 304, headers })
  headers.set('Content-Length', String(facts.size))
  if (request.method === 'HEAD') return new Response(null, { headers })
  return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream, { headers })
}

/** Answer with a file below a folder; a path cannot lead out of it, also not by a symbolic link. */
export async function serveBelow(folder: string, inner: string, request: Request, shown: string): Promise<Response> {
  const missing = pathNotFound(shown)
  if (inner.includes('\0')) throw missing
  if (inner.split('/').includes('..')) throw new HttpError(403, messageOf(403))
  const root = await files.realpath(folder).catch(() => undefined)
  const path = root && (await files.realpath(normalize(join(root, inner))).catch(() => undefined))
  if (!root || !path?.startsWith(root.endsWith(sep) ? root : root + sep)) throw missing
  return serveFile(path, request, shown)
}

export const pathNotFound = (path: string): HttpError => new HttpError(404, `The path '${path}' was not found.`)
