// `varstack`: the merged data of a stack of YAML files.
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { readStack } from './stack.ts'

export default defineExtPillar({
  name: 'varstack',
  doc: 'The merged data of YAML files whose names hold grains.',
  args: { conf: arg.text('Configuration file of varstack') },
  run: (ctx, { conf }) => readStack(ctx, conf),
})
