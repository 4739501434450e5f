// `grains.item` of targets without minions: grains that a target does not have are left out.
import { arg, defineModule, type ModuleDeclaration, reads, ret } from '../../sdk/mod.ts'

export const grainsWrapper = (): ModuleDeclaration =>
  defineModule({
    name: 'grains',
    doc: 'Grains of a target without a minion.',
    functions: {
      item: reads({
        doc: 'Return grains by their names.',
        args: { args: arg.rest('Names'), options: arg.open('Ignored') },
        returns: ret.dict('Values by name, of those that the target has'),
        example: 'grains.item os osrelease',
        outputter: 'nested',
        run: (ctx, { args }) =>
          new Map(args.filter((name) => ctx.grains.has(name)).map((name) => [name, ctx.grains.get(name)!])),
      }),
    },
  })
