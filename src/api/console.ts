// The console: the static page that `npm run build` makes in dist/console, served at `/console/`. It reads its data from `/v1`.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import { installedFolder } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { requestPeer } from './peer.ts'
import type { ApiService } from './service.ts'
import { isRefused } from './settings.ts'

/** Written in by the build. */
declare const BRINE_VERSION: string | undefined

/** Allow only the files of the page and the API of the same origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface Page {
  type: string
  plain: Buffer
  gzip: Buffer
  brotli: Buffer
}

/** The folder of the built page: beside the program, or in dist/ where the code runs from source. */
function consoleFolder(): string {
  if (typeof BRINE_VERSION === 'string') return installedFolder('console')
  return new URL('../../dist/console', import.meta.url).pathname
}

/** Read the files of the page, each compressed once. */
function readPages(folder: string): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const plain = readFileSync(file)
    const type = TYPES[extname(file)] ?? 'application/octet-stream'
    const name = file.slice(folder.length + 1)
    pages.set(name, { type, plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) })
  }
  return pages
}

function encoded({ plain, gzip, brotli }: Page, accepted: string): [encoding: string | undefined, body: Buffer] {
  if (/\bbr\b/.test(accepted)) return ['br', brotli]
  if (/\bgzip\b/.test(accepted)) return ['gzip', gzip]
  return [undefined, plain]
}

function answerOf(name: string, page: Page, accepted: string): Response {
  const [encoding, body] = encoded(page, accepted)
  const headers = new Headers({
    'Content-Type': page.type,
    'Content-Length': String(body.length),
    // names of assets change with their content
    'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    Vary: 'Accept-Encoding',
  })
  if (encoding !== undefined) headers.set('Content-Encoding', encoding)
  return new Response(new Uint8Array(body), { headers })
}

const refusal = (): Response =>
  new Response('This address may send no requests\n', {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  })

/** Serve the console below `/console/`, unless the options say otherwise or give the path to something else. */
export function addConsole(app: Hono, { settings, master, log }: ApiService): void {
  const { opts } = master.access
  const root = `${settings.prefix}/console`
  const { app: own, appPath, webhookUrl, staticFolder, staticPath, hasSessions } = settings
  const isTaken =
    (own !== undefined && appPath === '/console') ||
    webhookUrl === '/console' ||
    (staticFolder && staticPath === '/console')
  if (!option(opts, 'api_console') || !hasSessions || isTaken) return
  let pages: ReadonlyMap<string, Page> | undefined
  const page = (name: string): Page | undefined => {
    try {
      pages ??= readPages(consoleFolder())
    } catch (error) {
      log('error', `The console cannot be served: ${error instanceof Error ? error.message : error}`)
      pages = new Map()
    }
    return pages.get(name)
  }
  app.get(root, (c) => {
    if (isRefused(settings, requestPeer(c))) return refusal()
    // behind a proxy the browser's path differs, so the redirect is relative
    return new Response(null, { status: 302, headers: { Location: 'console/' } })
  })
  app.get(`${root}/*`, (c, next) => {
    if (isRefused(settings, requestPeer(c))) return refusal()
    const name = c.req.path.slice(root.length + 1) || 'index.html'
    const found = page(name)
    return found ? answerOf(name, found, c.req.header('accept-encoding') ?? '') : next()
  })
}
