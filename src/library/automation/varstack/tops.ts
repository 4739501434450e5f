// `varstack`: the list `states` of a stack of YAML files.
import { isList } from '../../../data/mod.ts'
import { arg, defineTops } from '../../../sdk/mod.ts'
import { readStack } from './stack.ts'

export default defineTops({
  name: 'varstack',
  doc: 'The list `states` of the merged data of YAML files whose names hold grains, for the environment base.',
  args: { conf: arg.text('Configuration file of varstack') },
  run: async (ctx, { conf }) => {
    const states = (await readStack(ctx, conf)).get('states') ?? []
    return new Map([['base', isList(states) ? [...states] : []]])
  },
})
