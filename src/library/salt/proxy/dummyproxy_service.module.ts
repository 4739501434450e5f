// Services of the simulated device of the proxy module `dummy`.
import { isDict, truthy } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { ofDummy, onDummy } from './dummy.ts'

const name = arg.string('Service name')
const sig = arg.any('Not used', { optional: true })

async function isRunning(ctx: Parameters<typeof ofDummy>[0], service: string): Promise<boolean> {
  const told = await ofDummy(ctx, 'service_status', [service])
  return isDict(told) && told.get('comment') === 'running'
}

export default defineModule({
  name: 'dummyproxy_service',
  virtual: 'service',
  when: onDummy,
  doc: 'Services of the device that the proxy module `dummy` makes up.',
  functions: {
    get_all: reads({
      doc: 'Return the names of all services of the device.',
      returns: ret.any('The names'),
      example: 'service.get_all',
      run: (ctx) => ofDummy(ctx, 'service_list'),
    }),
    list: reads({
      doc: 'Return the names of all services of the device.',
      returns: ret.any('The names'),
      example: 'service.list',
      run: (ctx) => ofDummy(ctx, 'service_list'),
    }),
    start: changes({
      doc: 'Start a service of the device.',
      args: { name, sig },
      returns: ret.any('`running`'),
      example: 'service.start samba',
      run: (ctx, args) => ofDummy(ctx, 'service_start', [args.name]),
    }),
    stop: changes({
      doc: 'Stop a service of the device.',
      args: { name, sig },
      returns: ret.any('`stopped`'),
      example: 'service.stop ntp',
      run: (ctx, args) => ofDummy(ctx, 'service_stop', [args.name]),
    }),
    restart: changes({
      doc: 'Restart a service of the device.',
      args: { name, sig },
      returns: ret.boolean('True'),
      example: 'service.restart ntp',
      run: async (ctx, args) => truthy(await ofDummy(ctx, 'service_restart', [args.name])),
    }),
    status: reads({
      doc: 'Return whether a service of the device runs.',
      args: { name, sig },
      returns: ret.boolean('Whether it runs'),
      example: 'service.status ntp',
      run: (ctx, args) => isRunning(ctx, args.name),
    }),
    running: reads({
      doc: 'Return whether a service of the device runs.',
      args: { name, sig },
      returns: ret.boolean('Whether it runs'),
      example: 'service.running ntp',
      run: (ctx, args) => isRunning(ctx, args.name),
    }),
    enabled: reads({
      doc: 'Return whether a service of the device starts at boot: only `redbull` does.',
      args: { name, sig },
      returns: ret.boolean('Whether it does'),
      example: 'service.enabled redbull',
      run: (_ctx, args) => args.name === 'redbull',
    }),
  },
})
