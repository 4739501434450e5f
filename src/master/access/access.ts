// Authentication and authorisation of callers: local programs by their keys, others by a token or by credentials for a
// system in `external_auth`. The answer to a refused request does not contain the reason; the log does.
import { shownText } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import {
  briefStr,
  type Dict,
  dictFrom,
  fnmatch,
  isDict,
  isList,
  numberOf,
  str,
  textOf,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { type MinionKnowledge, resolveCertain } from '../../match/mod.ts'
import type { DataCache } from '../../store/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { argumentsOf } from '../call-arguments.ts'
import type { LocalKeys } from '../local-keys.ts'
import { extraOf, fieldsInNeed, isName, type JobRequest, readRequest } from '../publication.ts'
import type { Refusal } from '../refusals.ts'
import type { Syndics } from '../syndics.ts'
import type { ResolvedTarget, TargetResolver } from '../target-resolver.ts'
import {
  type Covers,
  isHarmless,
  type JudgedCall,
  judgedCalls,
  mayCall,
  mayPublish,
  mayPublishAnywhere,
  maySetField,
  NOTHING,
  rightsFor,
} from './allowed.ts'
import { type AskedRight, readAsked, targetKey, verdictsAnswer } from './asked-rights.ts'
import { backend } from './backends.ts'
import { type JobsHere, mayTakeId } from './chosen-id.ts'
import { type AccessVerdict, explainMasterCall, explainPublication, type HeldList } from './explain.ts'
import { isBlacklisted, isPermissive, listFor } from './lists.ts'
import { tokenStore } from './own-tokens.ts'
import type { TokenStore } from './tokens.ts'

/** An authenticated caller. A caller without a list is the owner and has all rights. */
interface Recognised {
  user: string
  list?: Value[]
  /** The groups of a user of external authentication. */
  groups?: readonly string[]
  /** The system of external authentication that knows the user. */
  eauth?: string
}

/** A caller with an access list. */
type Limited = Recognised & { list: Value[] }

/** A publication that its caller may send. */
export interface JudgedJob {
  user: string
  /** The system of external authentication that knows the user. */
  eauth?: string
  request: JobRequest
  /** The minions that the rights were judged for. */
  targeted: ResolvedTarget
  /** Whether minions must get these ids in place of the target. */
  isFrozen: boolean
  /** Whether the caller has all rights. */
  isOwner: boolean
  /**
   * The caller's rights on minions below syndics, for the masters there; without entries, the caller may do everything
   * in the request.
   */
  authList: Value[]
  /** Whether the request is from a syndic of this machine, for a master above. */
  isFromAbove: boolean
  /** Whether the caller may do the same on targets of salt-ssh. */
  mayReach(targets: readonly string[]): boolean
}

const AUTHENTICATION: Refusal = { name: 'AuthenticationError', message: 'Authentication error occurred.' }
const AUTHORIZATION: Refusal = { name: 'AuthorizationError', message: 'Authorization error occurred.' }

/** Refusals of a call of the master's functions: Salt reports a missing right like a failed login. */
const CALL_REFUSALS = {
  token: 'TokenAuthenticationError',
  eauth: 'EauthAuthenticationError',
  user: 'UserAuthenticationError',
} as const

/** Pseudo eauth system for the access lists of local users. */
const LOCAL_LISTS = 'publisher_acl'

const READ_OPTIONS: JudgedCall = { fun: 'config.values', args: [], kwargs: new Map() }

type Known = MinionKnowledge & JobsHere & { cache: DataCache; syndics: Pick<Syndics, 'hasAny'> }

export class Access {
  private readonly known: Known
  private readonly keys: LocalKeys
  private readonly targets: TargetResolver
  readonly tokens: TokenStore

  constructor(known: Known, keys: LocalKeys, targets: TargetResolver) {
    this.known = known
    this.keys = keys
    this.targets = targets
    this.tokens = tokenStore(known.opts, known.log, known.cache.bank('tokens'))
  }

  /**
   * Authorise a request to publish: the caller, the shape of the request, its fields, and the function on the targeted
   * minions.
   */
  async judgePublish(load: Dict, peer?: Peer): Promise<JudgedJob | Refusal> {
    const { opts, log } = this.known
    const recognised = await this.recognise(load, extraOf(load), peer)
    if (!recognised) return AUTHENTICATION
    const { user, eauth } = recognised
    const isFromAbove = recognised.list === undefined && extraOf(load).has('auth_list')
    const list = isFromAbove ? rightsFromAbove(extraOf(load)) : recognised.list
    const request = readRequest(load)
    if (typeof request === 'string') {
      log('warning', `Refused a job of ${shownText(user)}: ${request}`)
      return { name: 'SaltInvocationError', message: request }
    }
    const calls = judgedCalls(request.fun, request.arg)
    const functions = calls.map(({ fun }) => fun)
    // a remote user chooses the name beside the credentials
    if ([briefStr(load.get('user') ?? ''), user].some((name) => isBlacklisted(opts, name, functions))) {
      const reason = 'Please contact your local administrator if you believe this is in error.'
      log('error', `${shownText(user)} does not have permissions to run ${shownText(functions.join(','))}. ${reason}`)
      return { ...AUTHORIZATION, isUntold: true }
    }
    const { tgt: target, tgtType: kind, delimiter } = request
    const asked = { author: user, target, kind, delimiter }
    if (list === undefined) {
      // a limited user of a master above, whose rights hold on all minions, may have written the target
      const targeted = isFromAbove ? await this.targets.foreign(asked) : this.targets.trusted(asked)
      const free = { isFrozen: false, isOwner: !isFromAbove, authList: [], isFromAbove }
      return { user, request, targeted, ...free, mayReach: () => true }
    }
    const mayTake = load.get('cmd') === 'publish' && mayTakeId(this.known, recognised, request)
    // the master above has judged the fields
    const field = isFromAbove ? undefined : this.fieldWithoutRight(list, request, mayTake)
    if (field !== undefined) {
      log('warning', `${shownText(user)} may not set the field ${field} of a job: the right @publish is missing`)
      return AUTHORIZATION
    }
    const judged = this.judgeTarget(
      { user, list, ...(eauth !== undefined && { eauth }) },
      request,
      calls,
      await this.targets.foreign(asked),
    )
    return 'message' in judged ? judged : { ...judged, isFromAbove }
  }

  /**
   * Resolve the target of a user. A user whose rights hold everywhere may also reach minions that only other masters
   * know.
   */
  private judgeTarget(
    { user, list, eauth }: Limited,
    request: JobRequest,
    calls: readonly JudgedCall[],
    found: ResolvedTarget,
  ): JudgedJob | Refusal {
    const { opts, log, keys, syndics } = this.known
    const ordersMasters = option(opts, 'order_masters')
    const isAnywhere = mayPublishAnywhere(list, calls)
    const asksIds = calls.every(isHarmless) && isList(request.tgt)
    const isRaw = ordersMasters && (isAnywhere || asksIds)
    // the name of a resource here may be the id of a minion that only a lower master knows
    const here = ordersMasters && !isRaw ? new Set(keys.list('minions')) : undefined
    const targeted = { ...found, minions: here ? found.minions.filter((id) => here.has(id)) : found.minions }
    const { minions } = targeted
    const isNobody = minions.length === 0
    // masters below authorise again, with the ids that they know
    const isForBelow = (): boolean => syndics.hasAny && mayPublish(list, calls, coveringUnknown(request))
    const isAllowed = isNobody
      ? isRaw || !ordersMasters || isForBelow()
      : mayPublish(list, calls, this.covering(minions))
    const mayReach = (ids: readonly string[]): boolean => mayPublish(list, calls, coveringNames(ids))
    if (isAllowed)
      return {
        user,
        request,
        targeted,
        isFrozen: !isRaw,
        isOwner: false,
        authList: isRaw ? [] : rightsFor(list, calls),
        isFromAbove: false,
        mayReach,
        ...(eauth !== undefined && { eauth }),
      }
    const functions = shownText(calls.map(({ fun }) => fun).join(','))
    const where = isNobody ? 'on minions that this master does not know' : 'on these minions'
    log('warning', `${shownText(user)} may not run ${functions} ${where}`)
    return AUTHORIZATION
  }

  /** The first field that the user must not set. */
  private fieldWithoutRight(list: readonly Value[], request: JobRequest, mayTake: boolean): string | undefined {
    for (const [field, rights] of fieldsInNeed(request, this.known.opts)) if (!maySetField(list, rights)) return field
    return mayTake || request.jid === undefined || maySetField(list, ['jid']) ? undefined : 'jid'
  }

  /** Return whether a command carries the key of the master's owner. */
  isOwner(load: Dict): boolean {
    const recognised = this.byKey(load)
    return recognised !== undefined && recognised.list === undefined
  }

  /** Judges a call of the master's own functions. */
  async judgeCall(
    load: Dict,
    family: 'runner' | 'wheel',
    fun: string,
    peer?: Peer,
  ): Promise<{ user: string } | Refusal> {
    const recognised = await this.recognise(load, load, peer)
    const how = load.has('token') ? 'token' : load.has('eauth') ? 'eauth' : 'user'
    const who = shownText(recognised?.user ?? briefStr(load.get('username') ?? load.get('user') ?? 'UNKNOWN'))
    const whose = !recognised && how === 'token' ? '' : ` for user ${who}`
    const message = `Authentication failure of type "${how}" occurred${whose}.`
    const refusal: Refusal = { name: CALL_REFUSALS[how], message }
    if (!recognised) return refusal
    if (recognised.list === undefined) return { user: recognised.user }
    if (fun.split('.').length !== 2) {
      return { name: 'SaltInvocationError', message: 'A command invocation error occurred: Check syntax.' }
    }
    return mayCall(recognised.list, family, { fun, ...argumentsOf(load) }) ? { user: recognised.user } : refusal
  }

  /**
   * Authorise a function on targets of salt-ssh, which the requesting program found in rosters; without targets, only
   * authenticate. Rights on minions by name or glob hold for targets with these ids. A shell command also needs the
   * right to `cmd.run`.
   */
  async judgeSsh(load: Dict, peer?: Peer): Promise<{ user: string } | Refusal> {
    const { opts, log } = this.known
    const recognised = await this.recognise(load, load, peer)
    if (!recognised) return AUTHENTICATION
    const { user, list } = recognised
    const [fun, arg, targets] = [load.get('fun') ?? '', load.get('arg') ?? [], load.get('targets') ?? []]
    if (typeof fun !== 'string' || !isList(arg) || !isList(targets) || !targets.every((id) => typeof id === 'string')) {
      return { name: 'SaltInvocationError', message: 'A function, arguments and targets are needed' }
    }
    const calls = judgedCalls(fun, arg)
    if (truthy(load.get('raw_shell') ?? false))
      calls.push(...judgedCalls('cmd.run', [[fun, ...arg].map(str).join(' ')]))
    const functions = calls.map((call) => call.fun)
    const isAllowed = list === undefined || targets.length === 0 || mayPublish(list, calls, coveringNames(targets))
    if (isAllowed && !isBlacklisted(opts, user, functions)) return { user }
    log('warning', `${shownText(user)} may not run ${shownText(functions.join(','))} on these targets of salt-ssh`)
    return AUTHORIZATION
  }

  /**
   * Return whether the caller may make calls, and why. The fields `for_user` and `for_eauth` ask about another user;
   * this needs the right to call the wheel function `config.values`, which shows all access lists.
   */
  async explain(load: Dict, peer?: Peer): Promise<Dict | Refusal> {
    const caller = await this.recognise(load, load, peer)
    if (!caller) return AUTHENTICATION
    const asked = readAsked(load)
    if (typeof asked === 'string') return { name: 'SaltInvocationError', message: asked }
    const other = load.get('for_user')
    if (other === undefined) return verdictsAnswer(await this.verdicts(caller, asked))
    const seesLists = caller.list === undefined || mayCall(caller.list, 'wheel', READ_OPTIONS)
    if (!seesLists) return AUTHORIZATION
    const eauth = briefStr(load.get('for_eauth') ?? '')
    const known = isName(other) ? await this.userOf(eauth, str(other)) : undefined
    if (!known) return { name: 'SaltInvocationError', message: `There is no eauth system ${shownText(eauth)}` }
    return verdictsAnswer(await this.verdicts(known, asked))
  }

  /** Return a user's rights from the options, without authentication. */
  private async userOf(eauth: string, user: string): Promise<Recognised | undefined> {
    const { opts } = this.known
    if (eauth === LOCAL_LISTS) return { user, list: listFor(option(opts, LOCAL_LISTS), user, [], isPermissive(opts)) }
    const rules = this.rulesOf(eauth)
    return rules && this.listed(eauth, rules, user)
  }

  private async verdicts(
    { user, list, eauth }: Recognised,
    asked: readonly AskedRight[],
  ): Promise<readonly AccessVerdict[]> {
    const source = `${eauth === undefined ? LOCAL_LISTS : `external_auth: ${eauth}`}: ${user}`
    const found: AccessVerdict[] = []
    const resolved = new Map<string, Promise<Covers | undefined>>()
    for (const { call, target } of asked) {
      const isForbidden = call.family === 'execution' && isBlacklisted(this.known.opts, user, [call.fun])
      if (isForbidden) found.push({ allowed: false, reason: `publisher_acl_blacklist forbids ${call.fun} to ${user}` })
      else if (list === undefined) found.push({ allowed: true, reason: 'The owner of the master may call everything' })
      else
        found.push(await this.verdict({ list, source }, call, target && (() => this.reached(user, target, resolved))))
    }
    return found
  }

  private async verdict(
    held: HeldList,
    call: AskedRight['call'],
    minions?: () => Promise<Covers | undefined>,
  ): Promise<AccessVerdict> {
    return call.family === 'execution' ? explainPublication(held, call, minions) : explainMasterCall(held, call)
  }

  /** The minions that a target means, looked up once for each target of a command. */
  private reached(
    author: string,
    target: { tgt: Value; kind: string },
    resolved: Map<string, Promise<Covers | undefined>>,
  ): Promise<Covers | undefined> {
    const key = targetKey(target)
    const known = resolved.get(key)
    if (known) return known
    const asked = { author, target: target.tgt, kind: target.kind }
    const covers = this.targets
      .foreign(asked)
      .then(({ minions }) => (minions.length > 0 ? this.covering(minions) : undefined))
    resolved.set(key, covers)
    return covers
  }

  /** Create a token for valid credentials; return an empty text for invalid ones. */
  async makeToken(load: Dict, peer?: Peer): Promise<Dict | ''> {
    const recognised = await this.byCredentials(load, peer)
    if (!recognised) return ''
    peer?.recognise?.(recognised.user)
    const own = numberOf(load.get('token_expire') ?? null)
    const usual = option(this.known.opts, 'token_expire')
    const isOwn = own !== undefined && Number.isFinite(own) && own > 0 && this.mayChooseExpiry(load)
    const facts = dictFrom({ name: recognised.user, eauth: briefStr(load.get('eauth')!) })
    if (recognised.groups && recognised.groups.length > 0) facts.set('groups', [...recognised.groups])
    return this.tokens.make(facts, isOwn ? own : usual)
  }

  private mayChooseExpiry(load: Dict): boolean {
    const rule = option(this.known.opts, 'token_expire_user_override')
    if (!isDict(rule)) return rule === true
    const users = rule.get(load.get('eauth') ?? '')
    return users !== undefined && isList(users) && users.includes(load.get('username') ?? '')
  }

  private covering(minions: readonly string[]): (target: string) => boolean {
    return (target) => {
      if (target === '*') return true
      const meant = new Set(resolveCertain(this.known, target))
      return minions.every((id) => meant.has(id))
    }
  }

  /** Recognise a caller by token, by credentials, or by the key of a local user. */
  private async recognise(load: Dict, credentials: Dict, peer: Peer | undefined): Promise<Recognised | undefined> {
    const recognised = await this.identify(load, credentials, peer)
    if (recognised) peer?.recognise?.(recognised.user)
    return recognised
  }

  private async identify(load: Dict, credentials: Dict, peer: Peer | undefined): Promise<Recognised | undefined> {
    if (credentials.has('token')) return this.byToken(credentials)
    if (truthy(credentials.get('eauth') ?? null)) return this.byCredentials(credentials, peer)
    return this.byKey(load)
  }

  private rulesOf(eauth: string): Dict | undefined {
    const all = option(this.known.opts, 'external_auth')
    const rules = isDict(all) ? all.get(eauth) : undefined
    return rules !== undefined && isDict(rules) ? rules : undefined
  }

  private async byToken(credentials: Dict): Promise<Recognised | undefined> {
    const token = await this.tokens.find(briefStr(credentials.get('token') ?? ''))
    const eauth = str(token?.get('eauth') ?? '')
    const rules = this.rulesOf(eauth)
    if (!token || !rules) {
      this.known.log('warning', 'Authentication failure of type "token" occurred.')
      return undefined
    }
    return this.listed(eauth, rules, str(token.get('name') ?? ''))
  }

  private async byCredentials(credentials: Dict, peer: Peer | undefined): Promise<Recognised | undefined> {
    const { opts, log } = this.known
    const eauth = briefStr(credentials.get('eauth') ?? '')
    const rules = this.rulesOf(eauth)
    const system = rules && (await backend(eauth, opts, log))
    if (!rules || !system) {
      log('warning', `The eauth system "${shownText(eauth)}" is not enabled`)
      return undefined
    }
    const user = system.name(credentials)
    // the name becomes part of jobs, tokens and lines of the log
    if (user === '' || ![user, credentials.get('username') ?? ''].every(isName)) {
      log('warning', 'Authentication failure of type "eauth" occurred: the name of the user is no name')
      return undefined
    }
    if (!(await system.check(credentials, { opts, config: rules, log, host: peer?.host }))) {
      log('warning', 'Authentication failure of type "eauth" occurred.')
      return undefined
    }
    return this.listed(eauth, rules, user)
  }

  private async listed(eauth: string, rules: Dict, user: string): Promise<Recognised> {
    const { opts, log } = this.known
    const system = await backend(eauth, opts, log)
    const ctx = { opts, config: rules, log }
    const own = await system?.list?.(user, ctx)
    const groups = (await system?.groups?.(user, ctx)) ?? []
    return { user, eauth, groups, list: own ?? listFor(rules, user, groups, isPermissive(opts)) }
  }

  /**
   * Authenticate a local user by the key. Only the owner's key may carry another name: `sudo_<user>` for a user who
   * became root.
   */
  private byKey(load: Dict): Recognised | undefined {
    const { opts, log } = this.known
    const key = textOf(load.get('key') ?? null) ?? ''
    const given = load.get('user') ?? ''
    const holder = key === '' ? undefined : this.keys.userOf(key)
    const user = isName(given) ? str(given) || holder : undefined
    const isOwner = holder === this.keys.owner
    if (holder === undefined || user === undefined || (!isOwner && user !== holder)) {
      log('warning', 'Authentication failure of type "user" occurred.')
      return undefined
    }
    const rules = option(opts, 'publisher_acl')
    // with `sudo_acl`, a user who came by sudo has their own rights, not those of root
    const isBound = user.startsWith('sudo_') && option(opts, 'sudo_acl') && truthy(rules)
    if (isOwner && !isBound) return { user }
    return { user, list: listFor(rules, isOwner ? user.slice('sudo_'.length) : holder, [], isPermissive(opts)) }
  }
}

/** The master has no proven data about targets of salt-ssh, so only rights that name a target by its id hold. */
function coveringNames(ids: readonly string[]): Covers {
  return (target) => target === '*' || (!/[\s@]/.test(target) && ids.every((id) => fnmatch(id, target)))
}

/** Cover the minions of a target that this master does not know: by the same expression, or by the ids that the target names. */
function coveringUnknown({ tgt, tgtType }: JobRequest): Covers {
  const text = textOf(tgt)
  const isExpression = text !== undefined && (tgtType === 'glob' || tgtType === 'compound')
  const isId = tgtType === 'glob' && text !== undefined && !/[*?[\]]/.test(text)
  const listed = tgtType === 'list' ? (isList(tgt) ? tgt.map(str) : (text ?? '').split(',')) : []
  const ids = isId ? [text] : listed
  return (target) => (isExpression && target === text) || (ids.length > 0 && coveringNames(ids)(target))
}

/** Return the rights that a master above sent along; without entries, its caller may do everything in the request. */
function rightsFromAbove(kwargs: Dict): Value[] | undefined {
  const list = kwargs.get('auth_list') ?? null
  if (isList(list)) return list.length === 0 ? undefined : [...list]
  // invalid rights allow nothing
  return [NOTHING]
}
