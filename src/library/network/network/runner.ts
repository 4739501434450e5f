// Wake on LAN from the master.
import { toError } from '../../../base/mod.ts'
import { isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const bcast = arg.text('Broadcast address that the packet is sent to', { default: '255.255.255.255' })
const destport = arg.count('Port that the packet is sent to', { default: 9 })

const wake = (ctx: MasterContext, mac: string, bcast: string, destport: number): Promise<Value> =>
  ctx.function('network.wol', [mac, bcast, destport])

export default defineRunner({
  name: 'network',
  doc: 'Wake machines over the network.',
  functions: {
    wol: masterFn({
      doc: 'Wake the machine with a hardware address.',
      args: { mac: arg.text('Hardware address'), bcast, destport },
      examples: ['salt-run network.wol 08-00-27-13-69-77'],
      run: (ctx, { mac, bcast, destport }) => wake(ctx, mac, bcast, destport),
    }),
    wollist: masterFn({
      doc: 'Wake the machines whose hardware addresses are in a file, one on each line.',
      args: { maclist: arg.text('Path of the file'), bcast, destport },
      examples: ["salt-run network.wollist '/path/to/maclist'"],
      run: async (ctx, { maclist, bcast, destport }) => {
        try {
          const text = new TextDecoder().decode(await ctx.host.read(maclist))
          const addresses = text
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => line.trim())
          for (const mac of addresses) {
            await wake(ctx, mac, bcast, destport)
            ctx.print(`Waking up ${mac}\n`)
          }
          return addresses
        } catch (error) {
          const reason = `Failed to open the MAC file. Error: ${toError(error).message}`
          await ctx.progress(new Map([['error', reason]]))
          return []
        }
      },
    }),
    wolmatch: masterFn({
      doc: 'Wake minions by the hardware addresses in their cached grains.',
      args: {
        tgt: arg.textOrList('Target: an expression, or a list of minion ids'),
        tgt_type: arg.text('Target type', { default: 'glob' }),
        bcast,
        destport,
      },
      examples: ['salt-run network.wolmatch minion_id'],
      run: async (ctx, { tgt, tgt_type, bcast, destport }) => {
        const known = await ctx.call('cache.grains', [tgt, tgt_type])
        const woken: Value[] = []
        for (const grains of isDict(known) ? known.values() : []) {
          const interfaces = isDict(grains) ? grains.get('hwaddr_interfaces') : undefined
          for (const [name, mac] of interfaces !== undefined && isDict(interfaces) ? interfaces : []) {
            if (name === 'lo') continue
            const address = str(mac).trim()
            await wake(ctx, address, bcast, destport)
            ctx.log('info', `Waking up ${address}`)
            woken.push(address)
          }
        }
        return woken
      },
    }),
  },
})
