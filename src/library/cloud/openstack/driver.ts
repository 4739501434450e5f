// Machines of OpenStack, by Keystone, Nova, Neutron, Glance and Cinder.
import { arg, cloudAction, cloudFunction, defineDriver } from '../../../sdk/mod.ts'
import { OpenStackAccount } from './account.ts'
import { listed, networks } from './lookup.ts'
import { machine, provider } from './settings.ts'

const power = (doc: string, event: string, body: Record<string, Record<string, string> | null>) =>
  cloudAction({
    doc,
    run: async (account: OpenStackAccount, node, _args, steps) => {
      await steps.report(event, new Map([['name', node.name]]))
      return account.act(node, body)
    },
  })

export default defineDriver({
  name: 'openstack',
  doc: 'Machines of OpenStack.',
  provider,
  machine,
  actions: {
    start: power('Start a machine.', 'starting', { 'os-start': null }),
    stop: power('Stop a machine.', 'stopping', { 'os-stop': null }),
    reboot: power('Reboot a machine.', 'rebooting', { reboot: { type: 'SOFT' } }),
    show_instance: cloudAction({
      doc: 'Return everything that OpenStack tells of a machine.',
      run: async (_account: OpenStackAccount, node) => node.details ?? new Map(),
    }),
  },
  functions: {
    list_networks: cloudFunction({
      doc: 'Return the networks.',
      run: (account: OpenStackAccount) => networks(account.session),
    }),
    list_subnets: cloudFunction({
      doc: 'Return the subnets of a network.',
      args: { network: arg.text('Name or id of the network') },
      run: (account: OpenStackAccount, { network }) => account.subnets(network),
    }),
    list_security_groups: cloudFunction({
      doc: 'Return the security groups.',
      run: async (account: OpenStackAccount) =>
        listed(await account.session.service('network'), '/security-groups', 'security_groups'),
    }),
    list_keypairs: cloudFunction({
      doc: 'Return the key pairs by their names.',
      run: (account: OpenStackAccount) => account.keyPairs(),
    }),
  },
  open: (ctx, settings) => new OpenStackAccount(ctx, settings),
})
