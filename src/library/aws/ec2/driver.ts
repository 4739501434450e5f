// Machines of Amazon EC2.
import { defineDriver } from '../../../sdk/mod.ts'
import { Ec2Account } from './driver/account.ts'
import { actions } from './driver/actions.ts'
import { functions } from './driver/functions.ts'
import { machine, provider } from './driver/settings.ts'

export default defineDriver({
  name: 'ec2',
  doc: 'Machines of Amazon EC2, and of what speaks its protocol.',
  provider,
  machine,
  actions,
  functions,
  open: (ctx, settings) => new Ec2Account(ctx, settings),
})
