// Devices by their data in udev, and reports of the program hwinfo.
import { type Dict, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineModule, type FunctionContext, operand, outputOf, reads, ret } from '../../../sdk/mod.ts'
import { fullReport, shortReport } from './hwinfo.ts'

/** Return the value of a key such as `e.id_bus`: `ID_BUS` in the part `E`. */
function valueAt(facts: Value, key: string): Value {
  let found: Value = facts
  for (const part of key.split('.')) {
    if (!isDict(found)) return 'n/a'
    found = found.get(part.toUpperCase()) ?? 'n/a'
  }
  return found
}

const listOf = (value: Value): Value[] => (isList(value) ? [...value] : [value])

/** Return whether every key has one of the wanted values. A key with a dict does not count. */
function matches(ctx: FunctionContext, facts: Value, wished: Dict): boolean {
  return [...wished].every(([key, value]) => {
    const found = valueAt(facts, str(key))
    if (isDict(found)) {
      ctx.log('warning', `The key ${str(key)} for the udev information dictionary is not a leaf element`)
      return true
    }
    const all = listOf(found)
    return listOf(value).some((one) => all.includes(one))
  })
}

async function filtered(ctx: FunctionContext, wanted: Dict, unwanted: Dict): Promise<string[]> {
  const disks = ctx.grains.get('disks') ?? []
  const found: string[] = []
  for (const disk of isList(disks) ? disks.map(str) : []) {
    const facts = await ctx.call('udev.info', [disk])
    const isOut = unwanted.size > 0 && matches(ctx, facts, unwanted)
    if (matches(ctx, facts, wanted) && !isOut) found.push(disk)
  }
  return found.sort()
}

const HWINFO = {
  items: arg.textOrList('Kinds of hardware; `bios`, `cpu`, `disk`, `memory`, `network`, `partition` if none is given', {
    optional: true,
  }),
  short: arg.flag('Only a summary', { default: true }),
  listmd: arg.flag('Include RAID devices', { default: false }),
  devices: arg.textOrList('Devices to report', { optional: true }),
}

const KINDS = ['bios', 'cpu', 'disk', 'memory', 'network', 'partition']

async function hwinfo(ctx: FunctionContext, { items, short, listmd, devices }: Bound<typeof HWINFO>): Promise<Dict> {
  const given = items === null ? [] : listOf(items).map(str)
  const kinds = given.length > 0 ? given : KINDS
  for (const kind of kinds) if (!/^[a-z][\w-]*$/.test(kind)) throw misuse(`'${kind}' is not a kind of hardware`)
  const names = devices === null || devices === '' ? [] : listOf(devices).map((name) => operand('A device', str(name)))
  const words = ['hwinfo', ...kinds.map((kind) => `--${kind}`)]
  words.push(...(short ? ['--short'] : []), ...(listmd ? ['--listmd'] : []))
  const report = await outputOf(ctx, [...words, ...names.flatMap((name) => ['--only', name])])
  const grains = (...wanted: string[]): Dict => new Map(wanted.map((name) => [name, ctx.grains.get(name) ?? null]))
  const found: Dict = new Map<Value, Value>([['hwinfo', short ? shortReport(report) : fullReport(report)]])
  if (kinds.includes('bios')) found.set('bios grains', grains('efi', 'efi-secure-boot'))
  if (kinds.includes('memory')) found.set('memory grains', grains('mem_total'))
  if (kinds.includes('network')) {
    found.set('network grains', grains('fqdn', 'ip_interfaces', ...(short ? [] : ['dns'])))
  }
  return found
}

const rules = (doc: string) => arg.dict(`${doc}, by key such as \`e.id_bus\``, { optional: true })

export default defineModule({
  name: 'devinfo',
  doc: 'Find devices, and report hardware.',
  functions: {
    filter: reads({
      doc: 'Return the disks that udev has certain values for.',
      calledAs: 'filter_',
      args: { udev_in: rules('Wished values'), udev_ex: rules('Unwanted values') },
      returns: ret.texts('Names of disks'),
      example: 'devinfo.filter udev_in=\'{"e.id_bus": "ata"}\'',
      run: (ctx, { udev_in, udev_ex }) => filtered(ctx, udev_in ?? new Map(), udev_ex ?? new Map()),
    }),
    hwinfo: reads({
      doc: 'Return what the program hwinfo reports, and grains about it.',
      args: HWINFO,
      returns: ret.dict('The report under `hwinfo`, and grains by kind'),
      example: "devinfo.hwinfo items='[disk]' short=False devices=/dev/sda",
      run: hwinfo,
    }),
  },
})
