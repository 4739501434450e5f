// Actions on machines of Google Compute Engine, by Salt's names.
import { arg, type CloudAction, cloudAction } from '../../../sdk/mod.ts'
import { type GceAccount, pathOfNode } from './account.ts'
import { addVolumes, attachDisk, deviceOf, findDisk } from './disks.ts'
import { withoutScripts } from './launch.ts'
import { dictsSetting } from './settings.ts'

const DISK = { disk_name: arg.text('Name of the disk') } as const

/** Declare an action that switches power, with the events that it fires before and after. */
const power = (doc: string, word: string, events: readonly [before: string, after: string]): CloudAction<GceAccount> =>
  cloudAction({
    doc,
    run: async (account: GceAccount, node, _args, steps) => {
      await steps.report(events[0], new Map([['name', node.name]]))
      const done = await account.act(node, word)
      await steps.report(events[1], new Map([['name', node.name]]))
      return done
    },
  })

export const actions = {
  start: power('Start a machine that was stopped.', 'start', ['starting', 'started']),
  stop: power('Stop a machine; its disks stay.', 'stop', ['stopping', 'stopped']),
  reboot: power('Reset a machine.', 'reset', ['rebooting', 'rebooted']),
  show_instance: cloudAction({
    doc: 'Return everything that Google tells of a machine.',
    run: async (account: GceAccount, node) => withoutScripts(await account.instance(node)),
  }),
  attach_disk: cloudAction({
    doc: 'Attach a disk to a machine.',
    args: {
      ...DISK,
      mode: arg.text('`READ_WRITE` or `READ_ONLY`', { default: 'READ_WRITE' }),
      boot: arg.text('Whether the machine boots from it: `true`, `yes` or `enabled`', { default: '' }),
      auto_delete: arg.isTrue('Whether the disk is deleted with the machine', { default: false }),
    },
    run: async (account: GceAccount, node, { disk_name, mode, boot, auto_delete }) => {
      const disk = await findDisk(account.project, disk_name)
      await attachDisk(account.project, {
        ...{ instance: pathOfNode(account.project, node), disk, mode: mode.toUpperCase(), autoDelete: auto_delete },
        boot: ['true', 'yes', 'enabled'].includes(boot.toLowerCase()),
      })
      return true
    },
  }),
  detach_disk: cloudAction({
    doc: 'Detach a disk from a machine.',
    args: DISK,
    run: async (account: GceAccount, node, { disk_name }) => {
      const device = encodeURIComponent(deviceOf(await account.instance(node), disk_name))
      const path = `${pathOfNode(account.project, node)}/detachDisk?deviceName=${device}`
      await account.project.change('POST', path, `The detachment of the disk ${disk_name}`)
      return true
    },
  }),
  show_disk: cloudAction({
    doc: 'Return everything that Google tells of a disk.',
    args: DISK,
    run: (account: GceAccount, _node, { disk_name }) => findDisk(account.project, disk_name),
  }),
  create_attach_volumes: cloudAction({
    doc: 'Make disks and attach them to a machine.',
    args: { volumes: arg.any('List of dicts as in the setting `volumes`, or a text with one') },
    run: async (account: GceAccount, node, { volumes }) => {
      await addVolumes(account.project, await account.instance(node), await dictsSetting(volumes, 'volumes'))
      return true
    },
  }),
}
