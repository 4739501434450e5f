// Settings of an SLS file that the renderer `stateconf` reads. As states they do nothing.
import { arg, defineState, state } from '../../../sdk/mod.ts'

const setting = state({
  doc: 'Hold settings for the templates of SLS files; nothing is changed.',
  args: { name: arg.string('The name of the settings'), kwargs: arg.open('The settings') },
  run: (_ctx, { name }) => ({ name, result: true, changes: {}, comment: '' }),
})

export default defineState({
  name: 'stateconf',
  doc: 'Settings for the renderer stateconf.',
  functions: { set: setting, context: setting },
})
