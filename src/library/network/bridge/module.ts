// Network bridges of Linux, through brctl. It lists the interfaces of a bridge one below the other.
import { lookup } from '../../../base/mod.ts'
import { type Dict, getItem, keyError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads } from '../../../sdk/mod.ts'

function bridgesIn(text: string): Dict {
  const bridges: Dict = new Map()
  let current: Dict | undefined
  for (const line of splitLines(text)) {
    const words = line.trim().split(/\s+/)
    if (line.startsWith('bridge name') || words[0] === '') continue
    const [name = '', id = '', stp = '', first] = words
    if (words.length > 1) {
      current = new Map<Value, Value>([
        ['id', id],
        ['stp', stp],
      ])
      if (first !== undefined) current.set('interfaces', [first])
      bridges.set(name, current)
    } else if (current) current.set('interfaces', [...((current.get('interfaces') ?? []) as Value[]), name])
  }
  return bridges
}

async function brctl(ctx: FunctionContext, ...words: Value[]): Promise<string> {
  const program = (await ctx.host.which('brctl')) ?? 'brctl'
  return outputOf(ctx, [program, ...words].map(str).join(' '))
}

const shown = async (ctx: FunctionContext, br: Value): Promise<Dict> =>
  bridgesIn(await brctl(ctx, 'show', ...(truthy(br) ? [br] : [])))

const br = arg.any('The bridge', { default: null })
const iface = arg.any('The interface', { default: null })
const STATES: Readonly<Record<string, string>> = lookup({ enable: 'on', disable: 'off' })

export default defineModule({
  name: 'bridge',
  doc: 'Network bridges.',
  when: async ({ grains, host }) =>
    (grains.get('kernel') === 'Linux' && (await host.which('brctl')) !== undefined) ||
    'The bridge execution module failed to load: requires one of the following tool/os combinations: ifconfig on FreeBSD/OpenBSD, brctl on Linux or brconfig on NetBSD.',
  functions: {
    show: reads({
      doc: 'A bridge with its interfaces, or all of them.',
      example: 'bridge.show br0',
      args: { br },
      run: async (ctx, { br }) => {
        const bridges = await shown(ctx, br)
        return truthy(br) ? (bridges.get(br) ?? null) : bridges
      },
    }),
    list: {
      ...reads({
        doc: 'The names of all bridges.',
        example: 'bridge.list',
        args: {},
        run: async (ctx) => {
          const bridges = await shown(ctx, null)
          return bridges.size > 0 ? [...bridges.keys()] : null
        },
      }),
      calledAs: 'list_',
    },
    interfaces: reads({
      doc: 'The interfaces of a bridge.',
      example: 'bridge.interfaces br0',
      args: { br },
      run: async (ctx, { br }) => {
        const bridge = truthy(br) ? (await shown(ctx, br)).get(br) : undefined
        return bridge === undefined ? null : getItem(bridge, 'interfaces')
      },
    }),
    find_interfaces: reads({
      doc: 'The bridges that interfaces are in.',
      example: 'bridge.find_interfaces eth0 eth1',
      args: { args: arg.rest('The interfaces') },
      run: async (ctx, { args }) => {
        const bridges = [...(await shown(ctx, null))]
        if (bridges.length === 0) return null
        const holder = (iface: Value) =>
          bridges.findLast(([, bridge]) => (((bridge as Dict).get('interfaces') ?? []) as Value[]).includes(iface))
        return new Map(args.flatMap((iface) => (holder(iface) ? [[iface, holder(iface)![0]]] : [])))
      },
    }),
    add: changes({
      doc: 'Create a bridge.',
      example: 'bridge.add br0',
      args: { br },
      run: (ctx, { br }) => brctl(ctx, 'addbr', br),
    }),
    delete: changes({
      doc: 'Remove a bridge.',
      example: 'bridge.delete br0',
      args: { br },
      run: (ctx, { br }) => brctl(ctx, 'delbr', br),
    }),
    addif: changes({
      doc: 'Put an interface into a bridge.',
      example: 'bridge.addif br0 eth0',
      args: { br, iface },
      run: (ctx, { br, iface }) => brctl(ctx, 'addif', br, iface),
    }),
    delif: changes({
      doc: 'Take an interface out of a bridge.',
      example: 'bridge.delif br0 eth0',
      args: { br, iface },
      run: (ctx, { br, iface }) => brctl(ctx, 'delif', br, iface),
    }),
    stp: changes({
      doc: 'Turn the spanning tree protocol of a bridge on or off.',
      example: 'bridge.stp br0 enable',
      args: { br, state: arg.string('`enable` or `disable`', { default: 'disable' }), iface },
      run: (ctx, { br, state }) => {
        const word = STATES[state]
        if (word === undefined) throw keyError(state)
        return brctl(ctx, 'stp', br, word)
      },
    }),
  },
})
