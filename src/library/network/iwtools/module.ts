// Wireless interfaces by the programs iwconfig and iwlist.
import { type Dict, failure, misuse, splitLines, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, ret, runAll } from '../../../sdk/mod.ts'

const MODES = ['Managed', 'Ad-Hoc', 'Master', 'Repeater', 'Secondary', 'Monitor', 'Auto']

const unquoted = (text: string): string => text.replace(/^"+|"+$/g, '')

/** Split a text at the first separator. */
function pair(text: string, separator: string): [name: string, value: string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at).trim(), text.slice(at + separator.length).trim()]
}

/** Read what iwconfig prints: an interface begins at the start of a line, and two spaces separate its properties. */
async function interfaces(ctx: FunctionContext): Promise<Map<string, Dict>> {
  const found = new Map<string, Dict>()
  let current: Dict | undefined
  // iwconfig names interfaces that are not wireless on its standard error.
  const { stdout } = await runAll(ctx, ['iwconfig'])
  for (const line of splitLines(stdout)) {
    if (line.trim() === '' || line.includes('no wireless extensions')) continue
    const items = line.trim().split(/ {2,}/)
    if (!line.startsWith(' ')) {
      current = new Map([['extra', []]])
      found.set(items.shift()!, current)
    }
    for (const item of items) {
      if (item.includes(':')) {
        const [name, value] = pair(item, ':')
        current?.set(name, name === 'ESSID' ? unquoted(value) : value)
      } else if (item.includes('=')) current?.set(...pair(item, '='))
      else (current?.get('extra') as Value[] | undefined)?.push(item)
    }
  }
  return found
}

async function checkInterface(ctx: FunctionContext, iface: string): Promise<void> {
  if (!(await interfaces(ctx)).has(iface)) throw misuse('The interface specified is not valid')
}

/** Read what iwlist prints: a cell for each network. */
function cells(text: string): Map<string, Dict> {
  const found = new Map<string, Dict>()
  let cell: Dict | undefined
  for (const line of splitLines(text)) {
    const start = /^\s*Cell \d+ - (Address: .*)$/.exec(line)
    const [name, value] = pair(start?.[1] ?? line, ':')
    if (start !== null) {
      cell = new Map()
      found.set(value, cell)
    }
    if (cell === undefined || !(start?.[1] ?? line).includes(':')) continue
    if (name !== 'IE') cell.set(name, value)
    else cell.set('IE', [...((cell.get('IE') as Value[] | undefined) ?? []), value])
  }
  return found
}

async function scan(ctx: FunctionContext, iface: string): Promise<Map<string, Dict>> {
  await checkInterface(ctx, iface)
  const command = ['iwlist', iface, 'scan']
  let printed = await outputOf(ctx, command)
  if (printed.includes('Network is down')) {
    await outputOf(ctx, ['ip', 'link', 'set', iface, 'up'])
    printed = await outputOf(ctx, command)
  }
  const found = cells(printed)
  if (found.size === 0 && !/No scan results|Scan completed/.test(printed)) throw failure(printed.trim())
  return found
}

const iface = arg.text('Interface')
const style = arg.text('`list` for the names alone', { optional: true })
const styled = (found: ReadonlyMap<string, Dict>, style: string | null): Value =>
  style === 'list' ? [...found.keys()] : (found as Dict)

export default defineModule({
  name: 'iwtools',
  doc: 'Read and set wireless interfaces.',
  when: async ({ host }) =>
    (await host.which('iwconfig')) !== undefined ||
    'The iwtools execution module cannot be loaded: iwconfig is not installed.',
  functions: {
    list_interfaces: reads({
      doc: 'Return the wireless interfaces.',
      args: { style },
      returns: ret.any('Properties by interface, or the names'),
      run: async (ctx, { style }) => styled(await interfaces(ctx), style),
    }),
    scan: changes({
      doc: 'Return the networks that an interface sees. An interface that is down is set up for that.',
      args: { iface, style },
      returns: ret.any('Properties by address of the network, or the addresses'),
      example: 'iwtools.scan wlp3s0 list',
      run: async (ctx, { iface, style }) => styled(await scan(ctx, iface), style),
    }),
    set_mode: changes({
      doc: 'Set the mode of an interface.',
      args: { iface, mode: arg.text(MODES.join(', ')) },
      returns: ret.string('The mode'),
      example: 'iwtools.set_mode wlp3s0 Managed',
      run: async (ctx, { iface, mode }) => {
        await checkInterface(ctx, iface)
        if (!MODES.includes(mode)) throw misuse(`One of the following modes must be specified: ${MODES.join(', ')}`)
        await ctx.call('ip.down', [iface])
        const { retcode, stderr } = await runAll(ctx, ['iwconfig', iface, 'mode', mode])
        await ctx.call('ip.up', [iface])
        if (retcode !== 0) throw failure(`Could not set the mode of ${iface}: ${str(stderr).trim()}`)
        return mode
      },
    }),
  },
})
