// Where authorities and certificates lie: a folder for each authority below one root, certificates in its `certs`.
import { decodeBytes, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

const REMEMBERED = 'ca.contextual_cert_base_path'

/** The root; one that is given counts from then on. */
export async function rootOf(ctx: FunctionContext, given: Value): Promise<string> {
  if (truthy(given)) ctx.memory.set(REMEMBERED, given)
  const known = ctx.memory.get(REMEMBERED) ?? null
  if (truthy(known)) return str(known)
  for (const name of [REMEMBERED, 'ca.cert_base_path']) {
    const configured = await ctx.call('config.option', [name])
    if (truthy(configured)) return str(configured)
  }
  return '/etc/pki'
}

export const isThere = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path)) !== undefined

export const textOfFile = async (ctx: FunctionContext, path: string): Promise<string> =>
  decodeBytes(await ctx.host.read(path))

/** Writes a key that only its owner may read. */
export const writeKey = (ctx: FunctionContext, path: string, key: string): Promise<void> =>
  ctx.host.write(path, key, { mode: 0o600 })

/** One line for each certificate that was made, in the form of openssl's own database. */
export async function record(ctx: FunctionContext, folder: string, facts: ReadonlyMap<string, Value>): Promise<void> {
  const expiry = new Date(Number(facts.get('not_after')) * 1000)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)
  const subject = [...(facts.get('subject') as Map<Value, Value>)].map(([name, value]) => `/${str(name)}=${str(value)}`)
  const serial = (facts.get('serial_number') as bigint).toString(16).toUpperCase()
  await ctx.host.append(`${folder}/index.txt`, `V\t${expiry}\t\t${serial}\tunknown\t${subject.join('')}\n`)
}
