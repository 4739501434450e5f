// The configuration and the keys of the new minion.
import { type Dict, deepCopy, failure, isDict, markSecret, str, textOf, type Value } from '../../../data/mod.ts'
import { dumpYaml, type FunctionContext, generateRsaKeys, option, textAt } from '../../../sdk/mod.ts'

export interface SeedRequest {
  config: Dict | null
  id: string | null
  approve: boolean
  pub_key: string | null
  priv_key: string | null
}

export interface MinionFiles {
  config: Dict
  text: string
  publicPem: string
  privatePem: string
}

/** A key is given by its text or by its path. */
async function keyOf({ host }: FunctionContext, given: string): Promise<string> {
  if (given.includes('-----BEGIN')) return given
  const text = await textAt(host, given)
  if (text === undefined) throw failure(`${given} is neither a key nor a file of one`)
  return text
}

export async function minionFiles(ctx: FunctionContext, request: SeedRequest): Promise<MinionFiles> {
  const { id, approve, pub_key, priv_key } = request
  const config: Dict = request.config ? (deepCopy(request.config) as Dict) : new Map()
  const master: Value = option(ctx.opts, 'master')
  if (!config.has('master') && master !== null && textOf(master) !== 'salt') config.set('master', master)
  if (id !== null) config.set('id', id)
  const text = await dumpYaml(config, { default_flow_style: false })
  if (pub_key && priv_key) {
    const pair = { publicPem: await keyOf(ctx, pub_key), privatePem: await keyOf(ctx, priv_key) }
    markSecret(pair.privatePem)
    return { config, text, ...pair }
  }
  const { publicPem, privatePem } = await generateRsaKeys(option(ctx.opts, 'keysize'))
  markSecret(privatePem)
  if (approve) await approveKey(ctx, id, publicPem)
  return { config, text, publicPem, privatePem }
}

/** Ask the master to accept the key, as Salt's virtualization does. A master that does not is no failure: the key waits for `salt-key`. */
async function approveKey(ctx: FunctionContext, id: string | null, publicPem: string): Promise<void> {
  const answer = await ctx.call('pillar.ext', [new Map([['virtkey', [id, publicPem]]])])
  const verdicts = isDict(answer) ? answer.get('virtkey') : undefined
  const isAccepted = verdicts !== undefined && isDict(verdicts) && id !== null && verdicts.get(id) === true
  if (isAccepted) return
  const name = id ?? 'the new minion'
  ctx.hint({
    level: 'warning',
    text: `The master has not accepted the key of ${name}: run salt-key -a ${id ?? 'ID'} when it asks`,
  })
}

/** Return the paths of a minion's files, by its future configuration. */
export const keyFolder = (config: Dict): string => str(config.get('pki_dir') ?? '/etc/salt/pki/minion')
