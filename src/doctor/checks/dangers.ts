// Settings that open a door.
import { API_KINDS, option, rawOption, sourcesOf } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import type { SiteDaemon } from '../site/site.ts'

export const dangers: Check = {
  name: 'dangerous settings',
  codes: [
    'danger-open-mode',
    'danger-auto-accept',
    'danger-key-permissions',
    'danger-file-recv',
    'danger-open-access',
    'danger-api-plain',
    'danger-api-everywhere',
    'danger-weak-hash',
    'key-weak',
  ],
  run: (site, ctx) => {
    for (const daemon of site.daemons) {
      if (!daemon.isConfigured) continue
      checkBoth(daemon, ctx)
      if (daemon.role === 'master') checkMaster(daemon.opts, ctx)
    }
  },
}

const LEAST_BITS = 2048
const BROKEN_HASHES = ['md5', 'sha1']

function checkBoth({ opts, role }: SiteDaemon, { report }: CheckContext): void {
  const at = (name: string) => sourcesOf(opts).get(name)
  if (option(opts, 'open_mode') && role === 'master') {
    report('danger-open-mode', { message: 'open_mode is True', at: at('open_mode') })
  }
  const hash = option(opts, 'hash_type')
  if (BROKEN_HASHES.includes(hash)) report('danger-weak-hash', { message: `hash_type is ${hash}`, at: at('hash_type') })
  if (option(opts, 'permissive_pki_access')) {
    report('danger-key-permissions', { message: 'permissive_pki_access is True', at: at('permissive_pki_access') })
  }
  if (option(opts, 'keysize') < LEAST_BITS) {
    report('key-weak', { message: `keysize is ${option(opts, 'keysize')}: new keys are too short`, at: at('keysize') })
  }
}

function checkMaster(opts: Dict, { report }: CheckContext): void {
  const at = (name: string) => sourcesOf(opts).get(name)
  if (option(opts, 'auto_accept'))
    report('danger-auto-accept', { message: 'auto_accept is True', at: at('auto_accept') })
  if (option(opts, 'file_recv')) report('danger-file-recv', { message: 'file_recv is True', at: at('file_recv') })
  for (const user of openUsers(rawOption(opts, 'publisher_acl'))) {
    report('danger-open-access', {
      message: `publisher_acl lets ${user} run everything`,
      at: at('publisher_acl') ?? at('client_acl'),
    })
  }
  const logins = rawOption(opts, 'external_auth')
  for (const [backend, users] of isDict(logins) ? logins : []) {
    for (const user of openUsers(users)) {
      const message = `external_auth (${str(backend)}) lets ${user} run everything`
      report('danger-open-access', { message, at: at('external_auth') })
    }
  }
  for (const kind of API_KINDS) checkApi(kind, opts.get(kind) ?? null, at(kind), report)
}

/**
 * Return users and groups that may run all functions on all minions. Entries that begin with `^` are settings of an
 * authentication system.
 */
function openUsers(users: Value): string[] {
  if (!isDict(users)) return []
  const isAll = (entry: Value): boolean => entry === '.*' || entry === '*'
  const isOpen = (entries: Value): boolean => (isList(entries) ? entries.some(isAll) : isAll(entries))
  return [...users].flatMap(([user, entries]) => {
    const name = str(user)
    if (name.startsWith('^') || !isOpen(entries)) return []
    return [name.endsWith('%') ? `the group ${name.slice(0, -1)}` : `the user ${name === '*' ? '* (everybody)' : name}`]
  })
}

const LOCAL = /^(127\.|::1$|localhost$)/

function checkApi(kind: string, settings: Value, at: CheckPlace, report: CheckContext['report']): void {
  if (!isDict(settings) || !truthy(settings)) return
  const host = str(settings.get('host') ?? settings.get('address') ?? '0.0.0.0')
  const hasTls = settings.has('ssl_crt') && settings.has('ssl_key')
  if (!hasTls && !LOCAL.test(host))
    report('danger-api-plain', { message: `${kind} on ${host} has no ssl_crt and ssl_key`, at })
  if (host === '0.0.0.0' || host === '::')
    report('danger-api-everywhere', { message: `${kind} listens on ${host}`, at })
}

type CheckPlace = { file?: string | undefined; line?: number | undefined } | undefined
