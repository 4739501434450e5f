// Functions of a subscription of Azure, by Salt's names: lists, interfaces, disks and extensions.
import { type Dict, isDict, toPlain, type Value } from '../../../data/mod.ts'
import { arg, cloudFunction } from '../../../sdk/mod.ts'
import { at, byField, exit, rowsOf } from '../common/rest.ts'
import type { AzureAccount } from './account.ts'
import { DISKS } from './launch.ts'
import { INTERFACES } from './network.ts'
import { groupOf, lastPart, type Subscription } from './subscription.ts'

const GROUP = { resource_group: arg.text('Resource group; that of the provider unless given', { optional: true }) }
const NETWORKS = 'Microsoft.Network/virtualNetworks'

function groupFor({ settings }: Subscription, given: string | null): string {
  const group = given ?? settings.resource_group
  if (group === null) throw exit('A resource group must be specified')
  return group
}

/** Return subnets by their names, each with the configurations of the interfaces in it. */
function subnetsOf(rows: readonly Dict[], group: string): Dict {
  return new Map(
    rows.map((row): [Value, Value] => {
      const properties = at(row, 'properties')
      const used = isDict(properties) ? rowsOf(properties, 'ipConfigurations') : []
      const configurations = new Map(used.map((one): [Value, Value] => [lastPart(one.get('id') ?? null), one]))
      const more: [Value, Value][] = [
        ['ip_configurations', configurations],
        ['resource_group', group],
      ]
      return [lastPart(row.get('name') ?? null), new Map([...row, ...more])]
    }),
  )
}

export const functions = {
  list_resource_groups: cloudFunction({
    doc: 'Return the resource groups of the subscription.',
    run: async ({ subscription }: AzureAccount) =>
      byField(await subscription.list(`${subscription.root}/resourcegroups`), 'name'),
  }),
  list_storage_accounts: cloudFunction({
    doc: 'Return the storage accounts of the subscription.',
    run: async ({ subscription }: AzureAccount) =>
      byField(await subscription.list(`${subscription.root}/providers/Microsoft.Storage/storageAccounts`), 'name'),
  }),
  list_virtual_networks: cloudFunction({
    doc: 'Return the virtual networks of the subscription with their subnets.',
    run: async ({ subscription }: AzureAccount) => {
      const rows = await subscription.list(`${subscription.root}/providers/${NETWORKS}`)
      const networks = rows.map((row): [Value, Value] => {
        const properties = at(row, 'properties')
        const group = groupOf(String(row.get('id') ?? ''))
        const subnets = subnetsOf(isDict(properties) ? rowsOf(properties, 'subnets') : [], group)
        return [row.get('name') ?? null, new Map<Value, Value>([...row, ['subnets', subnets]])]
      })
      return new Map(networks)
    },
  }),
  list_subnets: cloudFunction({
    doc: 'Return the subnets of a virtual network.',
    args: { ...GROUP, network: arg.text('Virtual network; that of the provider unless given', { optional: true }) },
    run: async ({ subscription }: AzureAccount, { resource_group, network }) => {
      const group = groupFor(subscription, resource_group)
      const named = network ?? subscription.settings.network
      if (named === null) throw exit('A "network" must be specified')
      return subnetsOf(await subscription.list(`${subscription.id(group, NETWORKS, named)}/subnets`), group)
    },
  }),
  delete_interface: cloudFunction({
    doc: 'Delete an interface with its public addresses, and return their names.',
    args: { ...GROUP, iface_name: arg.text('Name of the interface') },
    run: async (account: AzureAccount, { resource_group, iface_name }) => {
      const { subscription } = account
      const id = subscription.id(groupFor(subscription, resource_group), INTERFACES, iface_name)
      await subscription.get(id)
      return new Map<Value, Value>([[iface_name, await account.removeInterface(id)]])
    },
  }),
  delete_managed_disk: cloudFunction({
    doc: 'Delete a disk that no machine uses.',
    args: { ...GROUP, blob: arg.text('Name of the disk') },
    run: async (account: AzureAccount, { resource_group, blob }) => {
      const { subscription } = account
      const id = subscription.id(groupFor(subscription, resource_group), DISKS, blob)
      await subscription.get(id)
      await account.removeDisk(id)
      return true
    },
  }),
  create_or_update_vmextension: cloudFunction({
    doc: 'Put an extension on a machine, such as a command that it runs.',
    args: {
      ...GROUP,
      extension_name: arg.text('Name of the extension'),
      virtual_machine_name: arg.text('Name of the machine'),
      settings: arg.dict('Settings of the extension, with `commandToExecute` or `script`'),
      location: arg.text('Location; that of the provider unless given', { optional: true }),
      publisher: arg.text('Publisher of the extension', { default: 'Microsoft.Azure.Extensions' }),
      virtual_machine_extension_type: arg.text('Type of the extension', { default: 'CustomScript' }),
      type_handler_version: arg.text('Version of the extension', { default: '2.0' }),
      auto_upgrade_minor_version: arg.isTrue('Whether a newer minor version may be taken', { default: true }),
      protected_settings: arg.dict('Settings that nobody can read back', { optional: true, secret: true }),
    },
    run: async ({ subscription }: AzureAccount, given) => {
      const { settings, protected_settings } = given
      if (!settings.has('commandToExecute') && !settings.has('script')) {
        throw exit('VM extension settings are not valid. Either commandToExecute or script must be specified.')
      }
      const location = given.location ?? subscription.settings.location
      if (location === null) throw exit('A location must be specified')
      const group = groupFor(subscription, given.resource_group)
      const id = subscription.id(
        ...([group, 'Microsoft.Compute/virtualMachines', given.virtual_machine_name] as const),
        ...(['extensions', given.extension_name] as const),
      )
      return subscription.put(
        id,
        {
          location,
          properties: {
            ...{ publisher: given.publisher, type: given.virtual_machine_extension_type },
            ...{ typeHandlerVersion: given.type_handler_version, settings: toPlain(settings) },
            autoUpgradeMinorVersion: given.auto_upgrade_minor_version,
            ...(protected_settings !== null && { protectedSettings: toPlain(protected_settings) }),
          },
        },
        `The extension ${given.extension_name} of ${given.virtual_machine_name}`,
      )
    },
  }),
}
