// The grains file: YAML beside the minion's configuration, with the grains that a user set.
import { BrineError } from '../../../../base/mod.ts'
import { type Dict, SaltError, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, isHostError, option, serialize } from '../../../../sdk/mod.ts'

async function pathOf(ctx: FunctionContext): Promise<string> {
  const conf = option(ctx.opts, 'conf_file')
  const isDirectory = (await ctx.host.stat(conf))?.type === 'directory'
  return `${isDirectory ? conf : conf.slice(0, Math.max(0, conf.lastIndexOf('/')))}/grains`
}

export interface SetOptions {
  /** Whether a value of None removes the grain. */
  destructive: boolean
  refreshPillar: boolean
}

/** Set grains in the file and in memory. Return them, or a text with the problem of the file. */
export async function setGrains(ctx: FunctionContext, grains: Value, options: SetOptions): Promise<Value> {
  if (!(grains instanceof Map)) throw new SaltError('SaltException', 'setvals grains must be a dictionary.')
  const path = await pathOf(ctx)
  let kept: Dict
  try {
    kept = await readFile(ctx, path)
  } catch (error) {
    if (!(error instanceof BrineError) || isHostError(error)) throw error
    return `Unable to read existing grains file: ${error.message.replaceAll('<byte string>', path)}`
  }
  for (const [name, value] of grains) {
    for (const place of [kept, ctx.grains]) {
      if (value === null && options.destructive) place.delete(name)
      else place.set(name, value)
    }
  }
  await write(ctx, path, `${await serialize('yaml', kept, FORM)}\n`)
  await write(ctx, `${option(ctx.opts, 'cachedir')}/module_refresh`, '')
  if (!option(ctx.opts, 'local') && ctx.has('saltutil.refresh_grains')) {
    await ctx.call('saltutil.refresh_grains', [], { refresh_pillar: options.refreshPillar })
  }
  return grains
}

const FORM: ReadonlyMap<string, Value> = new Map([
  ['default_flow_style', false],
  ['allow_unicode', true],
])

async function readFile(ctx: FunctionContext, path: string): Promise<Dict> {
  if ((await ctx.host.stat(path))?.type !== 'file') return new Map()
  const grains = await deserialize('yaml', await ctx.host.read(path))
  return grains instanceof Map ? grains : new Map()
}

async function write(ctx: FunctionContext, path: string, text: string): Promise<void> {
  try {
    await ctx.host.write(path, text)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('error', `Unable to write ${path}: ${error.message}`)
  }
}
