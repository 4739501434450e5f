// An authority that signs for other minions: its signing policies, from pillar or configuration, and how others ask it.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, deepCopy, failure, misuse, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, isSshTarget, ret } from '../../../sdk/mod.ts'

/** The names of one kind of authority. */
export interface Kind {
  /** The module whose function `sign_remote_certificate` is called. */
  module: string
  /** The option, or key of the pillar, with the policies. */
  option: string
}

export async function localPolicy(ctx: FunctionContext, { option }: Kind, name: Value): Promise<Dict> {
  if (name === null) return new Map()
  for (const fun of ['pillar.get', 'config.get']) {
    const all = await ctx.call(fun, [option, new Map()])
    const policy = all instanceof Map ? all.get(name) : undefined
    if (policy === undefined || !truthy(policy)) continue
    const parts = Array.isArray(policy) ? (policy as Dict[]) : [policy as Dict]
    return new Map(parts.flatMap((part) => [...part]))
  }
  return new Map()
}

/** Send the request to the minion that is the authority. */
export async function askAuthority(
  ctx: FunctionContext,
  { module }: Kind,
  server: Value,
  [policy, options, policyOnly]: readonly [policy: Value, options: Dict, policyOnly: boolean],
): Promise<Value> {
  const args: Value = [policy, options, policyOnly]
  const answers = await ctx.call('publish.publish', [server, `${module}.sign_remote_certificate`], {
    arg: args,
    timeout: 60,
    // over SSH, `publish` runs on targets of the roster unless configured otherwise
    ...(isSshTarget(ctx.opts) && { ssh_minions: false, regular_minions: true }),
  })
  if (!(answers instanceof Map) || answers.size === 0) {
    throw misuse(
      'ca_server did not respond. Salt master must permit peers to call the sign_remote_certificate function.',
    )
  }
  const [answer] = answers.values()
  if (!(answer instanceof Map) || !answer.has('data')) {
    ctx.log('error', `Received invalid return value from ca_server: ${str(answer ?? null)}`)
    throw failure('Received invalid return value from ca_server. See minion log for details')
  }
  const errors = answer.get('errors')
  if (errors !== undefined && truthy(errors)) {
    throw failure(`ca_server reported errors:\n${(errors as Value[]).map((error) => str(error)).join('\n')}`)
  }
  return answer.get('data')!
}

/** Return a policy of another minion; it is requested once per run. `shape` converts the answer. */
export async function remotePolicy(
  ctx: FunctionContext,
  kind: Kind,
  [server, name]: readonly [server: string, name: Value],
  shape: (policy: Dict) => Promise<Dict>,
): Promise<Dict> {
  const memory = `_${kind.module}_policies`
  const known = (ctx.memory.get(memory) ?? new Map()) as Dict
  ctx.memory.set(memory, known)
  const key = `${server}\0${str(name)}`
  if (!known.has(key)) {
    known.set(key, await shape((await askAuthority(ctx, kind, server, [name, new Map(), true])) as Dict))
  }
  return deepCopy(known.get(key)!) as Dict
}

/** Return whether a minion may use a policy. */
async function isAllowed(ctx: FunctionContext, rule: Value, minion: Value): Promise<boolean> {
  if (!str(rule).includes('@')) return truthy(await ctx.call('match.glob', [rule, minion]))
  const answer = await ctx.call('publish.runner', ['match.compound_matches'], { arg: [rule, minion] })
  if (answer === null) {
    throw failure(
      'Could not check minion match for compound expression. Is this minion allowed to run `match.compound_matches` on the master?',
    )
  }
  if (!(answer instanceof Map)) throw failure('Invalid return value of match.compound_matches.')
  return answer.get('res') === minion
}

/** Return the policy for a requesting minion, or the reason for the refusal. */
async function grantedPolicy(ctx: FunctionContext, kind: Kind, name: Value, minion: Value): Promise<Dict | string> {
  const policy = await localPolicy(ctx, kind, name)
  if (policy.size === 0) return 'signing_policy must be specified and defined on signing minion'
  const rule = policy.get('minions')
  if (rule === undefined) return policy
  if (minion === null) return 'minion sending this request could not be identified'
  policy.delete('minions')
  return (await isAllowed(ctx, rule, minion)) ? policy : 'minion not permitted to use specified signing policy'
}

/** Return the answer for another minion: the result of `answer` for the policy that it may use. */
export async function answerOther(
  ctx: FunctionContext,
  kind: Kind,
  { name, minion }: { name: Value; minion: Value },
  answer: (policy: Dict) => Promise<Value>,
): Promise<Dict> {
  const reply = (data: Value, ...errors: string[]): Dict =>
    new Map<Value, Value>([['data', data]]).set('errors', errors)
  try {
    const policy = await grantedPolicy(ctx, kind, name, minion)
    return typeof policy === 'string' ? reply(null, policy) : reply(await answer(policy))
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    return reply(null, error.message)
  }
}

/** A minion that asks for a certificate, and the policy that it names. */
export interface Requester {
  name: Value
  minion: Value
}

type Sign = (
  ctx: FunctionContext,
  requester: Requester,
  options: ReadonlyMap<string, Value>,
  policyOnly: boolean,
) => Promise<Dict>

/** Declare the function by which an authority signs for other minions. */
export const remoteSigning = (example: string, sign: Sign) =>
  changes({
    doc: 'Sign a certificate for another minion, by a policy.',
    args: {
      signing_policy: arg.text('Signing policy'),
      kwargs: arg.any('Dict of the options that the minion requests; other types raise a TypeError'),
      get_signing_policy_only: arg.boolean('Whether to return only the policy', { default: false }),
      more_kwargs: arg.open('Keywords of the publication, which identify the minion'),
    },
    returns: ret.dict('`data` and `errors`'),
    example,
    run: (ctx, { signing_policy, kwargs, get_signing_policy_only, more_kwargs }) => {
      if (!(kwargs instanceof Map)) throw new PyError('TypeError', 'kwargs must be a mapping')
      const requester = { name: signing_policy, minion: more_kwargs.get('__pub_id') ?? null }
      return sign(ctx, requester, kwargs as ReadonlyMap<string, Value>, get_signing_policy_only)
    },
  })
