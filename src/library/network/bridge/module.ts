// Network bridges of Linux, through brctl, which lists the interfaces of a bridge on successive lines.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  dictFrom,
  getItem,
  isDict,
  isList,
  keyError,
  splitLines,
  str,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads } from '../../../sdk/mod.ts'

function bridgesIn(text: string): Dict {
  const bridges: Dict = new Map()
  let current: Dict | undefined
  for (const line of splitLines(text)) {
    const words = line.trim().split(/\s+/)
    if (line.startsWith('bridge name') || words[0] === '') continue
    const [name = '', id = '', stp = '', first] = words
    if (words.length > 1) {
      current = dictFrom({ id, stp })
      if (first !== undefined) current.set('interfaces', [first])
      bridges.set(name, current)
    } else if (current) current.set('interfaces', [...interfacesOf(current), name])
  }
  return bridges
}

function interfacesOf(bridge: Value): readonly Value[] {
  const interfaces = isDict(bridge) ? bridge.get('interfaces') : undefined
  return interfaces !== undefined && isList(interfaces) ? interfaces : []
}

async function brctl(ctx: FunctionContext, ...words: (string | null)[]): Promise<string> {
  const program = (await ctx.host.which('brctl')) ?? 'brctl'
  return outputOf(ctx, [program, ...words].map(str).join(' '))
}

const shown = async (ctx: FunctionContext, br?: string | null): Promise<Dict> =>
  bridgesIn(await brctl(ctx, 'show', ...(br ? [br] : [])))

const br = arg.text('Bridge', { optional: true })
const iface = arg.text('Interface', { optional: true })
const STATES: Readonly<Record<string, string>> = lookup({ enable: 'on', disable: 'off' })

export default defineModule({
  name: 'bridge',
  doc: 'Manage network bridges.',
  when: async ({ grains, host }) =>
    (grains.get('kernel') === 'Linux' && (await host.which('brctl')) !== undefined) ||
    'The bridge execution module failed to load: requires one of the following tool/os combinations: ifconfig on FreeBSD/OpenBSD, brctl on Linux or brconfig on NetBSD.',
  functions: {
    show: reads({
      doc: 'Return a bridge with its interfaces, or all bridges.',
      example: 'bridge.show br0',
      args: { br },
      run: async (ctx, { br }) => {
        const bridges = await shown(ctx, br)
        return br ? (bridges.get(br) ?? null) : bridges
      },
    }),
    list: {
      ...reads({
        doc: 'Return the names of all bridges.',
        run: async (ctx) => {
          const bridges = await shown(ctx)
          return bridges.size > 0 ? [...bridges.keys()] : null
        },
      }),
      calledAs: 'list_',
    },
    interfaces: reads({
      doc: 'Return the interfaces of a bridge.',
      example: 'bridge.interfaces br0',
      args: { br },
      run: async (ctx, { br }) => {
        const bridge = br ? (await shown(ctx, br)).get(br) : undefined
        return bridge === undefined ? null : getItem(bridge, 'interfaces')
      },
    }),
    find_interfaces: reads({
      doc: 'Return the bridge of each interface.',
      example: 'bridge.find_interfaces eth0 eth1',
      args: { args: arg.rest('Interfaces') },
      run: async (ctx, { args }) => {
        const bridges = [...(await shown(ctx))]
        if (bridges.length === 0) return null
        const found: Dict = new Map()
        for (const iface of args) {
          const holder = bridges.findLast(([, bridge]) => interfacesOf(bridge).includes(iface))
          if (holder) found.set(iface, holder[0])
        }
        return found
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
      doc: 'Add an interface to a bridge.',
      example: 'bridge.addif br0 eth0',
      args: { br, iface },
      run: (ctx, { br, iface }) => brctl(ctx, 'addif', br, iface),
    }),
    delif: changes({
      doc: 'Remove an interface from a bridge.',
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
