// Disks that are reached on several paths, through the program multipath.
import { splitLines } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'devmap',
  doc: 'Disks that are reached on several paths.',
  functions: {
    multipath_list: reads('The disks and their paths.', 'devmap.multipath_list', {}, async (ctx) =>
      splitLines(await outputOf(ctx, 'multipath -l')),
    ),
    multipath_flush: changes(
      'Give up a disk that nothing uses.',
      'devmap.multipath_flush mpath1',
      { device: arg.text('The device') },
      async (ctx, { device }) => {
        if ((await ctx.host.stat(device)) === undefined) return `${device} does not exist`
        return splitLines(await outputOf(ctx, `multipath -f ${device}`))
      },
    ),
  },
})
