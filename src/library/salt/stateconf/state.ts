// Settings of an SLS file for the renderer `stateconf`. As states they have no effect.
import { arg, defineState, state } from '../../../sdk/mod.ts'

const setting = state({
  doc: 'Hold settings for the templates of SLS files. Change nothing.',
  args: { name: arg.string('Name of the settings'), kwargs: arg.open('Settings') },
  run: (_ctx, { name }) => ({ name, result: true, changes: {}, comment: '' }),
})

export default defineState({
  name: 'stateconf',
  doc: 'Hold settings for the renderer `stateconf`.',
  functions: { set: setting, context: setting },
})
