// Device information of udev, through udevadm: lines of a letter and a value, a block for each device.
import { type Dict, Float, failure, isList, misuse, PyError, splitLines, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'

/** Return a number where Python would parse one. */
function numberOrText(text: string): Value {
  const bare = text.trim().replaceAll(/(?<=\d)_(?=\d)/g, '')
  if (/^[+-]?\d+$/.test(bare))
    return Number.isSafeInteger(Number(bare)) ? Number(bare) : BigInt(bare.replace(/^\+/, ''))
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare)) return new Float(Number(bare))
  if (/^[+-]?(inf|infinity|nan)$/i.test(bare))
    return new Float(/nan/i.test(bare) ? Number.NaN : bare.startsWith('-') ? -Infinity : Infinity)
  return text
}

/** Replace lists with one item by the item. */
function simplified(device: Map<string, Dict | string[]>): Dict {
  const single = (found: Dict | string[]): Value => {
    if (Array.isArray(found)) return found.length === 1 ? found[0]! : found
    return found
  }
  return new Map<Value, Value>([...device].map(([letter, found]) => [letter, single(found)]))
}

export function devicesOf(text: string): Dict[] {
  const devices: Dict[] = []
  let device = new Map<string, Dict | string[]>()
  for (const line of [...splitLines(text), '']) {
    const [, letter, data] = /^([^:]*):(.*)$/s.exec(line.trim()) ?? []
    if (line.trim() === '' && device.size > 0) {
      devices.push(simplified(device))
      device = new Map()
    }
    if (letter === undefined || data === undefined) continue
    if (letter === 'E') {
      const [name = '', ...value] = data.trim().split('=')
      const known = (device.get(letter) ?? new Map()) as Dict
      device.set(letter, known.set(name, numberOrText(value.join('='))) as Dict)
    } else device.set(letter, [...((device.get(letter) ?? []) as string[]), data.trim()])
  }
  return devices
}

async function query(ctx: FunctionContext, command: readonly string[]): Promise<Dict[]> {
  const { retcode, stdout, stderr } = await runAll(ctx, command, { output_loglevel: 'quiet' })
  if (retcode !== 0) throw failure(stderr)
  return devicesOf(stdout)
}

async function info(ctx: FunctionContext, name: string): Promise<Dict> {
  const kind = name.includes('sys') ? 'path' : 'name'
  const [found] = await query(ctx, ['udevadm', 'info', '--export', '--query=all', `--${kind}=${name}`])
  if (!found) throw new PyError('IndexError', 'list index out of range')
  return found
}

async function database(ctx: FunctionContext, subsystems: Value): Promise<Value[]> {
  if (subsystems !== null && !isList(subsystems)) throw misuse('subsystems must be a list')
  const all = await query(ctx, ['udevadm', 'info', '--export-db'])
  if (subsystems === null) return all
  return all.filter((device) => {
    const own = (device.get('E') as Dict | undefined)?.get('SUBSYSTEM')
    return own !== undefined && subsystems.includes(own)
  })
}

const dev = arg.text('Device, or its path below /sys')

const part = (name: string, doc: string, letter: string) =>
  reads({
    doc,
    args: { dev },
    returns: ret.any('The data, or None'),
    example: `udev.${name} /dev/sda`,
    run: async (ctx, { dev }) => (await info(ctx, dev)).get(letter) ?? null,
  })

export default defineModule({
  name: 'udev',
  doc: 'Return device information of udev.',
  when: async ({ host }) => (await host.which('udevadm')) !== undefined || 'The program udevadm was not found',
  functions: {
    info: reads({
      doc: 'Return all data of a device.',
      args: { dev },
      returns: ret.dict('The data by letter of udevadm'),
      example: 'udev.info /dev/sda',
      run: (ctx, { dev }) => info(ctx, dev),
    }),
    env: part('env', 'Return the variables of a device.', 'E'),
    name: part('name', 'Return the name of a device.', 'N'),
    path: part('path', 'Return the physical path of a device.', 'P'),
    links: part('links', 'Return the links of a device.', 'S'),
    exportdb: reads({
      doc: 'Return all devices.',
      args: {
        subsystems: arg.any('List of subsystems; all if not given, other types are refused', { optional: true }),
      },
      returns: ret.list('One entry for each device'),
      example: "udev.exportdb subsystems='[usb, block]'",
      run: (ctx, { subsystems }) => database(ctx, subsystems),
    }),
  },
})
