// Accepts the keys of minions after a comparison with the keys on their machines, which `salt-ssh` reads.
import { dirname } from 'node:path/posix'
import { lookup } from '../../../../base/mod.ts'
import { type Dict, failure, isDict, loadJson, misuse, SaltError, str, type Value } from '../../../../data/mod.ts'
import { type MasterContext, option } from '../../../../sdk/mod.ts'

/** The options of salt-ssh for the kinds of targets it knows. */
const KINDS: Readonly<Record<string, readonly string[]>> = lookup({
  glob: [],
  pcre: ['-E'],
  list: ['-L'],
  grain: ['-G'],
  nodegroup: ['-N'],
  range: ['-R'],
})

/** A fingerprint of any hash. */
const FINGERPRINT = /^([a-f0-9]{2}:){15,}[a-f0-9]{2}$/

/** Return whether there is a roster, and log an error if not. */
async function hasRoster(ctx: MasterContext, config: string): Promise<boolean> {
  const backend = option(ctx.opts, 'roster') || 'flat'
  const file = option(ctx.opts, 'roster_file') || `${config}/roster`
  if (backend !== 'flat' || (await ctx.host.stat(file))?.type === 'file') return true
  ctx.log('error', `Can't access roster for backend ${backend}: Roster file "${file}" not found`)
  ctx.log('error', 'No matching targets found in roster.')
  return false
}

/** Return the fingerprints that the machines have. */
async function fingersBySsh(ctx: MasterContext, target: string, kind: string): Promise<Dict> {
  const config = dirname(option(ctx.opts, 'conf_file'))
  if (!(await hasRoster(ctx, config))) return new Map()
  const flags = KINDS[kind]
  if (!flags) throw misuse(`salt-ssh has no targets of the kind '${kind}'`)
  const program = await ctx.host.which('salt-ssh')
  if (program === undefined) throw new SaltError('CommandNotFoundError', 'salt-ssh')
  const argv = [program, '-c', config, '--static', '--out', 'json', ...flags, target, 'key.finger']
  const { stdout, stderr } = await ctx.host.run({ argv })
  const text = Buffer.from(stdout).toString()
  try {
    const found = loadJson(text)
    if (isDict(found)) return found
  } catch (error) {
    ctx.log('debug', String(error))
  }
  throw failure(`salt-ssh gave no answer: ${Buffer.from(stderr).toString().trim() || text}`)
}

/** Accept a key, or return the reason why it is not accepted; undefined if it is accepted now or was before. */
async function judge(ctx: MasterContext, id: string, finger: string): Promise<string | undefined> {
  const known = (await ctx.wheel('key.finger', [id])) as Dict
  const of = (folder: string): Value | undefined => {
    const keys = known.get(folder)
    return keys !== undefined && isDict(keys) ? keys.get(id) : undefined
  }
  if (of('minions') !== undefined) return undefined
  const pending = of('minions_pre')
  if (pending === undefined) return `Minion key ${id} not found by salt-key`
  if (pending !== finger) return `Minion key ${finger} does not match the key in salt-key: ${str(pending)}`
  await ctx.wheel('key.accept', [id])
  return undefined
}

/** Return the fingerprints of accepted keys, and the reasons for the others. */
export async function safeAccept(ctx: MasterContext, target: string, kind: string): Promise<[Dict, Dict]> {
  const accepted: Dict = new Map()
  const failures: Dict = new Map()
  const before = new Set(ctx.keys.list('minions'))
  for (const [name, answer] of await fingersBySsh(ctx, target, kind)) {
    const [id, finger] = [str(name), str(answer)]
    const failure = FINGERPRINT.test(finger) ? await judge(ctx, id, finger) : finger
    if (failure !== undefined) failures.set(id, failure)
    else if (!before.has(id)) accepted.set(id, finger)
  }
  if (failures.size > 0) {
    ctx.print('safe_accept failed on the following minions:\n')
    for (const [id, text] of failures) ctx.print(`${str(id)}\n${'-'.repeat(str(id).length)}\n${str(text)}\n\n`)
  }
  await ctx.progress(new Map([['message', `Accepted ${accepted.size} keys`]]))
  return [accepted, failures]
}
