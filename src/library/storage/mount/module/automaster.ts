// The map of the automounter of macOS: a mount point after `/..`, options, and a device after a colon.
import { type Dict, dictFrom, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, textAt } from '../../../../sdk/mod.ts'

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Return the three columns of an entry; undefined for other lines. */
function columns(line: string): [string, string, string] | undefined {
  const words = splitWords(line)
  return line.startsWith('#') || words.length !== 3 ? undefined : (words as [string, string, string])
}

const nameIn = (column: string): string => column.replaceAll('/..', '')
const deviceIn = (column: string): string => column.split(':')[1] ?? ''

export async function readAutomaster(ctx: FunctionContext, config: string): Promise<Dict> {
  const found: Dict = new Map()
  for (const line of linesOf((await textAt(ctx.host, config)) ?? '')) {
    const words = columns(line)
    if (words === undefined) continue
    const [fstype = '', ...opts] = words[1].split(',')
    found.set(nameIn(words[0]), dictFrom({ device: deviceIn(words[2]), fstype, opts }))
  }
  return found
}

export async function removeAutomaster(
  ctx: FunctionContext,
  name: string,
  device: Value,
  config: string,
): Promise<boolean> {
  if (!(await readAutomaster(ctx, config)).has(name)) return true
  const lines = linesOf((await textAt(ctx.host, config)) ?? '')
  const kept = lines.filter((line) => {
    const words = columns(line)
    if (words === undefined || nameIn(words[0]) !== name) return true
    return device !== null && device !== '' && deviceIn(words[2]) !== str(device)
  })
  await ctx.host.write(config, kept.join(''))
  await ctx.call('cmd.run', ['automount -cv'])
  return true
}

export interface AutomasterEntry {
  name: string
  device: string
  fstype: string
  opts: string
  config: string
  dry: boolean
  not_change: boolean
}

export async function setAutomaster(ctx: FunctionContext, request: AutomasterEntry): Promise<string> {
  const { config, fstype } = request
  const known = (await ctx.host.stat(config))?.type === 'file'
  if (!known && !request.dry) {
    await ctx.call('file.touch', [config])
    await ctx.call('file.append', ['/etc/auto_master', `/-\t\t\t${config}`])
  }
  const device = `${fstype === 'smbfs' ? '' : fstype}:${request.device}`
  const wanted = [`/..${request.name}`, `-fstype=${fstype},${request.opts}`, device]
  let outcome = 'new'
  const lines = linesOf((await textAt(ctx.host, config)) ?? '').map((line) => {
    const words = columns(line)
    if (words === undefined || (words[0] !== wanted[0] && words[2] !== wanted[2])) return line
    const settled = request.not_change || words.join() === wanted.join()
    if (outcome !== 'change') outcome = settled ? 'present' : 'change'
    return settled ? line : `${wanted.join('\t')}\n`
  })
  if (outcome === 'new') lines.push(`${wanted.join('\t')}\n`)
  if (outcome !== 'present' && !request.dry) await ctx.host.write(config, lines.join(''))
  return outcome
}
