// Actions on machines of Azure, by Salt's names.
import { cloudAction } from '../../../sdk/mod.ts'
import { powerAction } from '../common/machine.ts'
import type { AzureAccount } from './account.ts'

export const actions = {
  start: powerAction('Start a machine that was stopped.', 'starting', 'start'),
  stop: powerAction(
    'Stop a machine and give its processors back, so that only its disks are billed.',
    'stopping',
    'deallocate',
  ),
  restart: powerAction('Restart a machine.', 'rebooting', 'restart'),
  show_instance: cloudAction({
    doc: 'Return everything that Azure tells of a machine, with its power state in `instanceView`.',
    run: (account: AzureAccount, node) => account.shown(node),
  }),
}
