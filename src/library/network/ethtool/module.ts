// Network cards, through the program ethtool. The names of the values are those of Salt, which uses a library.
import { decodeBytes, dictFrom, failure, splitLines, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

/** Run ethtool and return its lines; undefined when the card does not support the request. */
async function linesOf(ctx: FunctionContext, ...words: string[]): Promise<string[] | undefined> {
  const { retcode, stdout } = await ctx.host.run({ argv: ['ethtool', ...words], mergeStderr: true })
  return retcode === 0 ? splitLines(decodeBytes(stdout)) : undefined
}

/** Return the number of a text; 0 for a value that the card does not have. */
const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : text === 'on' ? 1 : 0)

const RINGS: ReadonlyArray<readonly [label: string, name: string]> = [
  ['RX', 'rx'],
  ['RX Mini', 'rx_mini'],
  ['RX Jumbo', 'rx_jumbo'],
  ['TX', 'tx'],
]

type Numbers = Map<string, number>

async function ring(ctx: FunctionContext, device: string): Promise<Numbers | undefined> {
  const lines = await linesOf(ctx, '-g', device)
  if (lines === undefined) return undefined
  const start = lines.findIndex((line) => line.startsWith('Current'))
  const read = (part: readonly string[], end: string): [string, number][] =>
    RINGS.flatMap(([label, name]): [string, number][] => {
      const text = part.find((line) => line.startsWith(`${label}:`))?.slice(label.length + 1)
      return text === undefined ? [] : [[`${name}${end}`, numberOf(text.trim())]]
    })
  return new Map([...read(lines.slice(0, start), '_max'), ...read(lines.slice(start), '')])
}

/** Names of the values. ethtool writes `frame` in some places and `frames` in others; `irg` is Salt's spelling. */
const COALESCE = [
  'rx_usecs',
  'rx_frames',
  'rx_usecs_irq',
  'rx_frames_irg',
  'tx_usecs',
  'tx_frames',
  'tx_usecs_irq',
  'tx_frames_irq',
  'stats_block_usecs',
  'adaptive_rx',
  'adaptive_tx',
  'pkt_rate_low',
  'rx_usecs_low',
  'rx_frames_low',
  'tx_usecs_low',
  'tx_frames_low',
  'pkt_rate_high',
  'rx_usecs_high',
  'rx_frames_high',
  'tx_usecs_high',
  'tx_frames_high',
  'sample_interval',
] as const

const optionOf = (name: string): string => name.replace('irg', 'irq').replaceAll('_', '-')

async function coalesce(ctx: FunctionContext, device: string): Promise<Numbers | undefined> {
  const lines = await linesOf(ctx, '-c', device)
  if (lines === undefined) return undefined
  const found = new Map<string, string>()
  for (const line of lines) {
    const adaptive = /^Adaptive RX: (\S+) +TX: (\S+)/.exec(line)
    if (adaptive) found.set('adaptive-rx', adaptive[1]!).set('adaptive-tx', adaptive[2]!)
    const [, name, value = ''] = /^([\w-]+): *(\S+)$/.exec(line) ?? []
    if (name) found.set(name.replace('frame-', 'frames-').replace('framess', 'frames'), value)
  }
  return new Map(COALESCE.map((name) => [name, numberOf(found.get(optionOf(name)) ?? '')]))
}

interface Setting {
  read(ctx: FunctionContext, device: string): Promise<Numbers | undefined>
  flag: string
  missing: string
  /** Return whether a name can be set. */
  isKnown(name: string): boolean
}

const ringSetting: Setting = {
  read: ring,
  flag: '-G',
  missing: 'Ring parameters not supported on',
  isKnown: (name) => RINGS.some(([, known]) => known === name),
}

const coalesceSetting: Setting = {
  read: coalesce,
  flag: '-C',
  missing: 'Interrupt coalescing not supported on',
  isKnown: (name) => (COALESCE as readonly string[]).includes(name),
}

async function shown(ctx: FunctionContext, { read, missing }: Setting, device: string): Promise<Value> {
  const found = await read(ctx, device)
  if (found) return found
  ctx.log('error', `${missing} ${device}`)
  return 'Not supported'
}

const asNumber = (value: Value): number => numberOf(value === true ? 'on' : value === false ? 'off' : str(value))

async function update(ctx: FunctionContext, setting: Setting, device: string, given: ReadonlyMap<string, Value>) {
  const before = await setting.read(ctx, device)
  if (!before) return shown(ctx, setting, device)
  const wanted = [...given].filter(([name, value]) => setting.isKnown(name) && before.get(name) !== asNumber(value))
  const words = wanted.flatMap(([name, value]) => {
    const number = asNumber(value)
    return [optionOf(name), name.startsWith('adaptive') ? (number === 1 ? 'on' : 'off') : String(number)]
  })
  if (words.length > 0 && (await linesOf(ctx, setting.flag, device, ...words)) === undefined) {
    ctx.log('error', `Invalid arguments for ${device}: ${words.join(' ')}`)
    return 'Invalid arguments'
  }
  return shown(ctx, setting, device)
}

interface Feature {
  on: boolean
  fixed: boolean
}

async function features(ctx: FunctionContext, device: string): Promise<Map<string, Feature>> {
  const lines = await requiredLines(ctx, '-k', device)
  return new Map(
    lines.slice(1).flatMap((line) => {
      const [, name, value = ''] = /^\s*([^:]+):\s*(.*)$/.exec(line) ?? []
      if (name === undefined) return []
      return [[name.trim(), { on: value.split(/\s+/)[0] === 'on', fixed: value.includes('fixed') }] as const]
    }),
  )
}

/** Run ethtool and return its lines; an error line raises an error. */
async function requiredLines(ctx: FunctionContext, ...words: string[]): Promise<string[]> {
  const { stdout } = await ctx.host.run({ argv: ['ethtool', ...words], mergeStderr: true })
  const lines = splitLines(decodeBytes(stdout).trimEnd())
  if (lines[0]?.startsWith('Cannot')) throw failure(lines[0])
  return lines
}

const OFFLOADS: ReadonlyArray<readonly [name: string, feature: string]> = [
  ['scatter_gather', 'scatter-gather'],
  ['tcp_segmentation_offload', 'tcp-segmentation-offload'],
  ['udp_fragmentation_offload', 'udp-fragmentation-offload'],
  ['generic_segmentation_offload', 'generic-segmentation-offload'],
]

async function offload(ctx: FunctionContext, device: string): Promise<Map<string, string>> {
  const lines = (await linesOf(ctx, '-k', device)) ?? []
  return new Map(
    OFFLOADS.map(([name, feature]) => {
      const value = lines.find((line) => line.startsWith(`${feature}:`))?.slice(feature.length + 1)
      return [name, value?.trim().split(/\s+/)[0] ?? 'not supported']
    }),
  )
}

async function driver(ctx: FunctionContext, device: string): Promise<Value> {
  const lines = await linesOf(ctx, '-i', device)
  if (lines === undefined) {
    ctx.log('error', `Driver information not implemented on ${device}`)
    return 'Not implemented'
  }
  const value = (name: string): string =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
  return dictFrom({ driver: value('driver'), bus_info: value('bus-info').trim() })
}

const PAUSE = ['autoneg', 'rx', 'tx']
const FEATURES = ['rx', 'tx', 'sg', 'tso', 'ufo', 'gso', 'gro', 'lro', 'rxvlan', 'txvlan', 'ntuple', 'rxhash']

/** Return the words for ethtool of the known names. */
function valid(known: readonly string[], given: ReadonlyMap<string, Value>): string[] {
  const words = [...given].flatMap(([key, value]) => {
    const name = key.toLowerCase()
    if (!known.includes(name)) return []
    return [name, value === true ? 'on' : value === false ? 'off' : str(value)]
  })
  if (words.length > 0) return words
  const list = known.map((name) => `'${name}'`).join(', ')
  throw failure(`None of the valid parameters were provided: [${list}]`)
}

const devname = arg.string('Network interface, such as eth0')

function show(doc: string, name: string, run: (ctx: FunctionContext, device: string) => Promise<Value>) {
  return reads({
    doc,
    args: { devname },
    returns: ret.any('The values, or a text when the card does not support the request'),
    example: `ethtool.${name} eth0`,
    run: (ctx, { devname }) => run(ctx, devname),
  })
}

type Change = (ctx: FunctionContext, device: string, given: ReadonlyMap<string, Value>) => Promise<Value>

function set(doc: string, example: string, run: Change) {
  return changes({
    doc,
    args: { devname, kwargs: arg.open('Values by name') },
    returns: ret.any('The values afterwards, or a text with the error'),
    example: `ethtool.${example}`,
    run: (ctx, { devname, kwargs }) => run(ctx, devname, kwargs),
  })
}

export default defineModule({
  name: 'ethtool',
  doc: 'Show and set parameters of network cards.',
  when: async ({ host }) =>
    (await host.which('ethtool')) !== undefined ||
    'The ethtool module could not be loaded: the program ethtool was not found',
  functions: {
    show_ring: show('Return the ring buffer sizes of a network card.', 'show_ring', (ctx, device) =>
      shown(ctx, ringSetting, device),
    ),
    show_coalesce: show(
      'Return the interrupt coalescing parameters of a network card.',
      'show_coalesce',
      (ctx, device) => shown(ctx, coalesceSetting, device),
    ),
    show_driver: show('Return the driver and bus address of a network card.', 'show_driver', driver),
    show_offload: show('Return the offload settings of a network card.', 'show_offload', offload),
    show_pause: show('Return the pause frame settings of a network card.', 'show_pause', async (ctx, device) => {
      const lines = (await requiredLines(ctx, '-a', device)).slice(1).filter((line) => line.includes(':'))
      return new Map(
        lines.map((line) => {
          const [name = '', value = ''] = line.split(/:(.*)/)
          return [name.trim(), value.trim() === 'on']
        }),
      )
    }),
    show_features: show(
      'Return all features of a network card, and whether they are fixed.',
      'show_features',
      async (ctx, device) => {
        const found = await features(ctx, device)
        return new Map([...found].map(([name, feature]) => [name, dictFrom(feature)]))
      },
    ),
    set_ring: set('Set ring buffer sizes: rx, rx_mini, rx_jumbo, tx.', 'set_ring eth0 rx=512', (ctx, device, given) =>
      update(ctx, ringSetting, device, given),
    ),
    set_coalesce: set('Set interrupt coalescing parameters.', 'set_coalesce eth0 rx_usecs=10', (ctx, device, given) =>
      update(ctx, coalesceSetting, device, given),
    ),
    set_offload: set(
      'Set the offload of TCP segmentation: tcp_segmentation_offload.',
      'set_offload eth0 tcp_segmentation_offload=on',
      async (ctx, device, given) => {
        const value = given.get('tcp_segmentation_offload')
        if (value === undefined) return offload(ctx, device)
        const isOn = value === true || value === 'on'
        const done = await linesOf(ctx, '-K', device, 'tso', isOn ? 'on' : 'off')
        return done === undefined ? 'Not supported' : offload(ctx, device)
      },
    ),
    set_pause: set(
      'Set pause frame settings: autoneg, rx, tx.',
      'set_pause eth0 rx=off',
      async (ctx, device, given) => {
        const lines = await requiredLines(ctx, '-A', device, ...valid(PAUSE, given))
        return lines.length === 0 || lines.join('') === '' ? true : lines
      },
    ),
    set_feature: set(
      'Set features: rx, tx, sg, tso, ufo, gso, gro, lro, rxvlan, txvlan, ntuple, rxhash.',
      'set_feature eth0 sg=off',
      async (ctx, device, given) => {
        const lines = await requiredLines(ctx, '-K', device, ...valid(FEATURES, given))
        return lines.join('') === '' ? true : lines.join('\n')
      },
    ),
  },
})
