// `POST /gitfs/update`: webhook for pushes from GitHub, GitLab and Gitea; the affected gitfs remotes are fetched at
// once. There is no login: each server proves that it knows the secret in its own way.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, shownText, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, loadJson, textOf, type Value } from '../data/mod.ts'
import { FileServer } from '../fileserver/mod.ts'
import { HttpError } from './errors.ts'
import type { ApiResource, ResourceAnswer, SaltCall } from './salt/resource.ts'
import type { ApiService } from './service.ts'

export const GIT_HOOK_PATH = '/gitfs/update'

/** Headers with a hexadecimal HMAC of the body: GitHub's, then Gitea's and those of its forks. */
const SIGNATURES = ['x-hub-signature-256', 'x-gitea-signature', 'x-forgejo-signature', 'x-gogs-signature']

/** The header with the secret itself. */
const GITLAB_TOKEN = 'x-gitlab-token'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether two texts are equal, compared in constant time. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** Return whether the sender of a body knows the secret. */
export function isProvenHook(headers: Headers, body: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  const signature = SIGNATURES.map((name) => headers.get(name)).find((value) => value !== null)
  if (signature !== undefined && signature !== null)
    return isSame(signature.replace(/^sha256=/, '').toLowerCase(), expected)
  const token = headers.get(GITLAB_TOKEN)
  return token !== null && isSame(token, secret)
}

/** Fields of a payload's `repository` and `project` that have an address. */
const ADDRESS_FIELDS = [
  'clone_url',
  'ssh_url',
  'git_url',
  'html_url',
  'git_http_url',
  'git_ssh_url',
  'http_url',
  'web_url',
  'url',
  'homepage',
]

/** Return server and path of an address, which do not depend on the protocol; undefined for other addresses. */
function placeOf(address: string): string | undefined {
  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(address) ??
    /^(?:[^@/\s]+@)([^:/\s]+):\/*(.+)$/.exec(address) ??
    []
  if (host === undefined || path === undefined) return undefined
  return `${host.toLowerCase()}/${path
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')}`
}

/** Return the places of the repository that a payload is about. */
export function placesOfPayload(data: Value): Set<string> {
  const parts = isDict(data) ? [data.get('repository'), data.get('project')] : []
  const addresses = parts.flatMap((part) =>
    part !== undefined && isDict(part) ? ADDRESS_FIELDS.map((name) => textOf(part.get(name) ?? null)) : [],
  )
  return new Set(addresses.flatMap((address) => (address ? (placeOf(address) ?? []) : [])))
}

/** Return the resource; undefined while no secret is configured. */
export function gitHookResource(service: ApiService): ApiResource | undefined {
  const { opts, host } = service.master.access
  const secret = option(opts, 'gitfs_webhook_secret')
  if (secret === '') return undefined
  const server = new FileServer(opts, host, service.log)
  const updates = new HookUpdates(server, service.log, (tag, data) => service.master.access.fire(tag, data))
  return {
    handlers: { POST: { answer: (call) => receive(call, secret, server, updates) } },
    allow: 'POST',
    sessions: [],
    login: [],
  }
}

async function receive(
  call: SaltCall,
  secret: string,
  server: FileServer,
  updates: HookUpdates,
): Promise<ResourceAnswer> {
  const { request, body, service, peer } = call
  service.limits.beforeLogin(peer.host)
  if (!isProvenHook(request.headers, body.raw, secret)) {
    service.limits.loginFailed(peer.host)
    throw new HttpError(401, 'The signature or the token of the hook is wrong')
  }
  const places = placesOfPayload(payloadOf(body.data))
  if (places.size === 0) throw new HttpError(400, 'The payload names no repository')
  const status = (await Promise.all(server.backends().map((backend) => backend.status?.() ?? []))).flat()
  const remotes = status.flatMap((remote) => {
    const url = textOf(remote.get('url') ?? null) ?? ''
    const place = placeOf(url)
    return place !== undefined && places.has(place) ? [url] : []
  })
  updates.begin(remotes)
  return { value: new Map<Value, Value>([['updating', remotes]]), status: remotes.length > 0 ? 202 : 200 }
}

/** GitHub can be set to send the payload as a field of a form. */
function payloadOf(data: Value): Value {
  const field = isDict(data) ? textOf(data.get('payload') ?? null) : undefined
  if (field === undefined) return data
  try {
    return loadJson(field)
  } catch (error) {
    throw new HttpError(400, `The payload is no JSON: ${shownText(toError(error).message)}`)
  }
}

/** Milliseconds from the end of one update to the next: hooks that are sent again and again cost no more than this. */
const PAUSE_MS = 2000

/**
 * Updates that hooks requested, one after another: a push during a fetch needs another fetch. A replayed hook cannot be
 * distinguished from a repeated delivery, so each counts, but all that arrive during an update or its pause count once.
 */
export class HookUpdates {
  private readonly server: Pick<FileServer, 'update'>
  private readonly log: Log
  private readonly tell: (tag: string, data: Dict) => Promise<void>
  private readonly waiting = new Set<string>()
  private readonly pauseMs: number
  private isRunning = false

  constructor(
    server: Pick<FileServer, 'update'>,
    log: Log,
    tell: (tag: string, data: Dict) => Promise<void>,
    pauseMs = PAUSE_MS,
  ) {
    this.server = server
    this.log = log
    this.tell = tell
    this.pauseMs = pauseMs
  }

  begin(remotes: readonly string[]): void {
    for (const remote of remotes) this.waiting.add(remote)
    if (!this.isRunning) void this.run()
  }

  private async run(): Promise<void> {
    this.isRunning = true
    try {
      while (this.waiting.size > 0) {
        const remotes = [...this.waiting]
        this.waiting.clear()
        await this.server.update(this.tell, null, { remotes }).catch((error: unknown) => {
          this.log('error', `The update that a web hook asked for failed: ${toError(error).message}`)
        })
        await sleep(this.pauseMs, undefined, { ref: false })
      }
    } finally {
      this.isRunning = false
    }
  }
}
