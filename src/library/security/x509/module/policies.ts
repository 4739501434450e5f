// Signing policies of an authority, from pillar or configuration, of this or another minion.
import { type Dict, deepCopy, failure, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, x509 } from '../../../../sdk/mod.ts'
import { certificate } from './sources.ts'

export async function localPolicy(ctx: FunctionContext, name: Value): Promise<Dict> {
  if (name === null) return new Map()
  for (const fun of ['pillar.get', 'config.get']) {
    const all = await ctx.call(fun, ['x509_signing_policies', new Map()])
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
  server: Value,
  policy: Value,
  options: Dict,
  policyOnly: boolean,
): Promise<Value> {
  const args: Value = [policy, options, policyOnly]
  const answers = await ctx.call('publish.publish', [server, 'x509.sign_remote_certificate'], {
    arg: args,
    timeout: 60,
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

const MEMORY = '_x509_policies'

async function remotePolicy(ctx: FunctionContext, server: string, name: Value): Promise<Dict> {
  const known = (ctx.memory.get(MEMORY) ?? new Map()) as Dict
  ctx.memory.set(MEMORY, known)
  const key = `${server}\0${str(name)}`
  if (!known.has(key)) {
    const policy = (await askAuthority(ctx, server, name, new Map(), true)) as Dict
    const source = policy.get('signing_cert')
    if (source !== undefined) {
      policy.set('signing_cert', (await x509()).toPem('CERTIFICATE', (await certificate(ctx, source)).raw))
    }
    known.set(key, policy)
  }
  return deepCopy(known.get(key)!) as Dict
}

export async function signingPolicy(ctx: FunctionContext, name: Value, server: string | null): Promise<Dict> {
  const policy = server === null ? await localPolicy(ctx, name) : await remotePolicy(ctx, server, name)
  return (await x509()).withShortNames(policy as ReadonlyMap<string, Value>) as Dict
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
export async function grantedPolicy(ctx: FunctionContext, name: Value, minion: Value): Promise<Dict | string> {
  const policy = await localPolicy(ctx, name)
  if (policy.size === 0) return 'signing_policy must be specified and defined on signing minion'
  const rule = policy.get('minions')
  if (rule === undefined) return policy
  if (minion === null) return 'minion sending this request could not be identified'
  policy.delete('minions')
  return (await isAllowed(ctx, rule, minion)) ? policy : 'minion not permitted to use specified signing policy'
}
