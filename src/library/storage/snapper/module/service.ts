// Calls of snapper's service on the system bus by busctl, and the meaning of its answers.
import { type Dict, failure, isDict, isList, loadJson, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const SERVICE = ['org.opensuse.Snapper', '/org/opensuse/Snapper', 'org.opensuse.Snapper']

/** Call a method; the words after the signature are its arguments in busctl's form. Return its first result. */
export async function callService(ctx: FunctionContext, method: string, ...words: string[]): Promise<Value> {
  const argv = ['busctl', '--system', '--json=short', '--', 'call', ...SERVICE, method, ...words]
  const { retcode, stdout, stderr } = await runAll(ctx, argv)
  if (retcode !== 0) throw failure(stderr.replace(/^Call failed: /, '').trim())
  const answer = stdout.trim() === '' ? null : loadJson(stdout)
  const data = answer !== null && isDict(answer) ? (answer.get('data') ?? null) : null
  return isList(data) ? (data[0] ?? null) : null
}

/** The words of a dict of texts. */
export const dictWords = (values: ReadonlyMap<Value, Value>): string[] => [
  String(values.size),
  ...[...values].flatMap(([key, value]) => [str(key), str(value)]),
]

const listOf = (value: Value): Value[] => (isList(value) ? [...value] : [])

export async function configs(ctx: FunctionContext): Promise<Map<string, Dict>> {
  const found = listOf(await callService(ctx, 'ListConfigs')).map((entry) => listOf(entry))
  return new Map(found.map(([name, , values]) => [str(name!), values as Dict]))
}

/**
 * Run work on a configuration, and report errors in Salt's words. busctl does not print the name of the service's
 * errors, so the usual reasons are checked.
 */
export async function during<T>(
  ctx: FunctionContext,
  action: string,
  { config, numbers = [] }: { config?: string; numbers?: readonly number[] },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw failure(`Error encountered while ${action}: ${(await reason(ctx, config, numbers)) ?? error.message}`)
  }
}

async function reason(ctx: FunctionContext, config: string | undefined, numbers: readonly number[]) {
  if (config === undefined) return undefined
  const known = await configs(ctx).catch(() => undefined)
  if (known === undefined) return undefined
  if (!known.has(config)) return `Unknown configuration '${config}'`
  if (numbers.length === 0) return undefined
  const ids = listOf(await callService(ctx, 'ListSnapshots', 's', config)).map((entry) => Number(listOf(entry)[0]))
  return numbers.every((number) => ids.includes(number)) ? undefined : 'Invalid snapshot'
}

const TYPES = ['single', 'pre', 'post']

/** Describe a snapshot: number, type, number of the snapshot before, time, user, description, cleanup, and further data. */
export async function describeSnapshot(ctx: FunctionContext, entry: Value): Promise<Dict> {
  const [id, type, pre, time, uid, description, cleanup, userdata] = listOf(entry)
  const facts: Dict = new Map<Value, Value>([['id', id!]]).set('type', TYPES[Number(type)] ?? str(type!))
  if (facts.get('type') === 'post') facts.set('pre', pre!)
  facts.set('timestamp', Number(time) === -1 ? Math.floor(ctx.host.now()) : time!)
  facts.set('user', await ctx.call('file.uid_to_user', [uid!]))
  return facts.set('description', description!).set('cleanup', cleanup!).set('userdata', userdata!)
}

export const snapshots = (ctx: FunctionContext, config: string): Promise<Dict[]> =>
  during(ctx, 'listing snapshots', { config }, async () => {
    const found: Dict[] = []
    for (const entry of listOf(await callService(ctx, 'ListSnapshots', 's', config))) {
      found.push(await describeSnapshot(ctx, entry))
    }
    return found
  })
