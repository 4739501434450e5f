// Who asks, and what they may do: local programs by their keys, others by a token or by credentials for a system that
// `external_auth` names. A refusal says nothing about its reason to who was refused; the log does.
import { shownText } from '../../base/mod.ts'
import { type MinionKnowledge, resolveTarget, type Targeted } from '../../client/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, truthy, type Value } from '../../data/mod.ts'
import type { DataCache } from '../../store/mod.ts'
import { argumentsOf } from '../call-arguments.ts'
import type { LocalKeys } from '../local-keys.ts'
import type { Refusal } from '../publish.ts'
import { judgedCalls, mayCall, mayPublish } from './allowed.ts'
import { backend } from './backends.ts'
import { isBlacklisted, isPermissive, listFor } from './lists.ts'
import { Tokens } from './tokens.ts'

/** A user who was recognised; without a list everything is allowed. */
interface Recognised {
  user: string
  list?: Value[]
}

const AUTHENTICATION: Refusal = { name: 'AuthenticationError', message: 'Authentication error occurred.' }
const AUTHORIZATION: Refusal = { name: 'AuthorizationError', message: 'Authorization error occurred.' }

/** Who may not call a function of the master hears of it as of a failed login. */
const CALL_REFUSALS = {
  token: 'TokenAuthenticationError',
  eauth: 'EauthAuthenticationError',
  user: 'UserAuthenticationError',
} as const

const TWELVE_HOURS = 43_200

export class Access {
  private readonly known: MinionKnowledge & { cache: DataCache }
  private readonly keys: LocalKeys
  readonly tokens: Tokens

  constructor(known: MinionKnowledge & { cache: DataCache }, keys: LocalKeys) {
    this.known = known
    this.keys = keys
    this.tokens = new Tokens(known.cache.bank('tokens'))
  }

  /** Judges a publication; the name of who asked by other means than a key is put into it. */
  async judgePublish(load: Dict, targeted: () => Targeted): Promise<Refusal | undefined> {
    const { opts, log } = this.known
    const calls = judgedCalls(load.get('fun') ?? '', load.get('arg') ?? [])
    const user = str(load.get('user') ?? '')
    const functions = calls.map(({ fun }) => fun)
    if (isBlacklisted(opts, user, functions)) {
      const reason = 'Please contact your local administrator if you believe this is in error.'
      log('error', `${shownText(user)} does not have permissions to run ${shownText(functions.join(','))}. ${reason}`)
      return { ...AUTHORIZATION, isUntold: true }
    }
    const kwargs = load.get('kwargs')
    const recognised = await this.recognise(load, kwargs !== undefined && isDict(kwargs) ? kwargs : new Map())
    if (!recognised) return AUTHENTICATION
    const { list } = recognised
    // who may do nothing still hears that nobody is meant
    const minions = list === undefined ? [] : targeted().minions
    if (minions.length > 0 && !mayPublish(list!, calls, this.covering(minions))) {
      log('warning', `${recognised.user} may not run ${shownText(functions.join(','))} on these minions`)
      return AUTHORIZATION
    }
    load.set('user', recognised.user)
    return undefined
  }

  /** Judges a call of the master's own functions. */
  async judgeCall(load: Dict, family: 'runner' | 'wheel', fun: string): Promise<{ user: string } | Refusal> {
    const recognised = await this.recognise(load, load)
    const how = load.has('token') ? 'token' : load.has('eauth') ? 'eauth' : 'user'
    const who = str(load.get('username') ?? load.get('user') ?? 'UNKNOWN')
    const message = `Authentication failure of type "${how}" occurred for user ${who}.`
    const refusal: Refusal = { name: CALL_REFUSALS[how], message }
    if (!recognised) return refusal
    if (recognised.list === undefined) return { user: recognised.user }
    if (fun.split('.').length !== 2) {
      return { name: 'SaltInvocationError', message: 'A command invocation error occurred: Check syntax.' }
    }
    return mayCall(recognised.list, family, { fun, ...argumentsOf(load) }) ? { user: recognised.user } : refusal
  }

  /** A new token for credentials; empty when they are wrong. */
  async makeToken(load: Dict): Promise<Dict | ''> {
    const recognised = await this.byCredentials(load)
    if (!recognised) return ''
    const own = numberOf(load.get('token_expire') ?? null)
    const most = numberOf(this.known.opts.get('token_expire') ?? TWELVE_HOURS) ?? TWELVE_HOURS
    const seconds = own !== undefined && this.mayChooseExpiry(load) ? own : most
    const facts = new Map<Value, Value>([
      ['name', recognised.user],
      ['eauth', load.get('eauth')!],
    ])
    return this.tokens.make(facts, seconds)
  }

  private mayChooseExpiry(load: Dict): boolean {
    const rule = this.known.opts.get('token_expire_user_override') ?? false
    if (!isDict(rule)) return rule === true
    const users = rule.get(load.get('eauth') ?? '')
    return users !== undefined && isList(users) && users.includes(load.get('username') ?? '')
  }

  private covering(minions: readonly string[]): (target: string) => boolean {
    return (target) => {
      const meant = new Set(resolveTarget(this.known, target, 'compound').minions)
      return minions.every((id) => meant.has(id))
    }
  }

  /** By token, by credentials, or by the key of a local user. */
  private async recognise(load: Dict, credentials: Dict): Promise<Recognised | undefined> {
    if (credentials.has('token')) return this.byToken(credentials)
    if (truthy(credentials.get('eauth') ?? null)) return this.byCredentials(credentials)
    return this.byKey(load)
  }

  private rulesOf(eauth: string): Dict | undefined {
    const all = this.known.opts.get('external_auth') ?? null
    const rules = isDict(all) ? all.get(eauth) : undefined
    return rules !== undefined && isDict(rules) ? rules : undefined
  }

  private byToken(credentials: Dict): Promise<Recognised | undefined> | undefined {
    const token = this.tokens.find(str(credentials.get('token') ?? ''))
    const eauth = str(token?.get('eauth') ?? '')
    const rules = this.rulesOf(eauth)
    if (!token || !rules) {
      this.known.log('warning', 'Authentication failure of type "token" occurred.')
      return undefined
    }
    return this.listed(eauth, rules, str(token.get('name') ?? ''))
  }

  private async byCredentials(credentials: Dict): Promise<Recognised | undefined> {
    const { opts, log } = this.known
    const eauth = str(credentials.get('eauth') ?? '')
    const rules = this.rulesOf(eauth)
    const system = rules && (await backend(eauth, opts, log))
    if (!rules || !system) {
      log('warning', `The eauth system "${shownText(eauth)}" is not enabled`)
      return undefined
    }
    if (!(await system.check(credentials, { opts, config: rules, log }))) {
      log('warning', 'Authentication failure of type "eauth" occurred.')
      return undefined
    }
    return this.listed(eauth, rules, system.name(credentials))
  }

  private async listed(eauth: string, rules: Dict, user: string): Promise<Recognised> {
    const { opts, log } = this.known
    const system = await backend(eauth, opts, log)
    const ctx = { opts, config: rules, log }
    const own = await system?.list?.(user, ctx)
    const groups = (await system?.groups?.(user, ctx)) ?? []
    return { user, list: own ?? listFor(rules, user, groups, isPermissive(opts)) }
  }

  private byKey(load: Dict): Recognised | undefined {
    const key = textOf(load.get('key') ?? null) ?? ''
    const user = textOf(load.get('user') ?? null) ?? ''
    if (key === '' || !this.keys.allows(key, user)) return undefined
    const { opts } = this.known
    const rules = opts.get('publisher_acl') ?? null
    // with `sudo_acl` who came by sudo has his own rights, not those of root
    const isBound = user.startsWith('sudo_') && truthy(opts.get('sudo_acl') ?? false) && truthy(rules)
    if (this.keys.isOwners(key) && !isBound) return { user }
    return { user, list: listFor(rules, user.replace(/^sudo_/, ''), [], isPermissive(opts)) }
  }
}
