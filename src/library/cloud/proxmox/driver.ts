// Machines and containers of Proxmox VE.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, cloudAction, cloudFunction, defineDriver } from '../../../sdk/mod.ts'
import { ProxmoxAccount } from './account.ts'
import { rowsIn } from './api.ts'
import { configOf, guestOf, guestRows } from './guest.ts'
import { machine, provider } from './settings.ts'

const power = (doc: string, event: string, word: string, done: [key: string, text: string]) =>
  cloudAction({
    doc,
    run: async (account: ProxmoxAccount, node, _args, steps) => {
      await steps.report(event, new Map([['name', node.name]]))
      await account.power(await account.guestNamed(node), word)
      return new Map([[done[0], `${node.name} was ${done[1]}.`]])
    },
  })

/** Return the rows that match a filter, by name: one of them or all. */
function filtered(rows: readonly [Value, Dict][], filter: string | null): Dict {
  const all: Dict = new Map(rows)
  return filter === null ? all : ((all.get(filter) ?? new Map()) as Dict)
}

export default defineDriver({
  name: 'proxmox',
  doc: 'Machines and containers of Proxmox VE.',
  provider,
  machine,
  actions: {
    start: power('Start a machine.', 'starting', 'start', ['Started', 'started']),
    stop: power('Switch a machine off at once.', 'stopping', 'stop', ['Stopped', 'stopped']),
    shutdown: power('Shut a machine down.', 'stopping', 'shutdown', ['Shutdown', 'shutdown']),
    reboot: power('Reboot a machine.', 'rebooting', 'reboot', ['Rebooted', 'rebooted']),
    show_instance: cloudAction({
      doc: 'Return everything that the interface tells of a machine.',
      run: async (_account: ProxmoxAccount, node) => node.details ?? new Map(),
    }),
  },
  functions: {
    get_resources_nodes: cloudFunction({
      doc: 'Return the nodes.',
      args: { resFilter: arg.text('Name of the one node that is wanted', { optional: true }) },
      run: async (account: ProxmoxAccount, { resFilter }) => {
        const rows = rowsIn(await account.api.get('/cluster/resources?type=node'))
        return filtered(
          rows.map((row): [Value, Dict] => [row.get('node') ?? null, row]),
          resFilter,
        )
      },
    }),
    get_resources_vms: cloudFunction({
      doc: 'Return all machines, containers and templates.',
      args: {
        resFilter: arg.text('Return only the machine with this name', { optional: true }),
        includeConfig: arg.flag('Whether to return the configuration of each machine too', { default: true }),
      },
      run: async (account: ProxmoxAccount, { resFilter, includeConfig }) => {
        const found: [Value, Dict][] = []
        for (const row of await guestRows(account.api)) {
          const config = includeConfig ? await configOf(account.api, guestOf(row)) : undefined
          found.push([
            row.get('name') ?? str(row.get('vmid') ?? null),
            config ? new Map([...row, ['config', config]]) : row,
          ])
        }
        return filtered(found, resFilter)
      },
    }),
    avail_images: cloudFunction({
      doc: 'Return the volumes of a storage.',
      args: { location: arg.text('Name of the storage', { default: 'local' }) },
      run: (account: ProxmoxAccount, { location }) => account.images(location),
    }),
  },
  open: (ctx, settings) => new ProxmoxAccount(ctx, settings),
})
