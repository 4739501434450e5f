// Init scripts of a Linux that no other provider of `service` supports. A service runs if a process has its name.
import { str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  namesIn,
  ret,
  succeeds,
} from '../../../sdk/mod.ts'
import { action, listing, question, serviceName, status } from './declare.ts'

const ELSEWHERE: readonly Value[] = [
  'RedHat',
  'CentOS',
  'Amazon',
  'ScientificLinux',
  'CloudLinux',
  'Fedora',
  'Gentoo',
  'Ubuntu',
  'Debian',
  'Devuan',
  'ALT',
  'OEL',
  'Linaro',
  'elementary OS',
  'McAfee  OS Server',
  'Raspbian',
  'SUSE',
  'Slackware',
]

const scripts = (ctx: FunctionContext): string =>
  ['Arch', 'Arch ARM'].includes(str(ctx.grains.get('os') ?? '')) ? '/etc/rc.d' : '/etc/init.d'

const act = (ctx: FunctionContext, name: string, verb: string) => succeeds(ctx, `${scripts(ctx)}/${name} ${verb}`)

const verb = (verb: 'start' | 'stop' | 'restart' | 'reload') => action(verb, (ctx, name) => act(ctx, name, verb))

const allServices = (ctx: FunctionContext): Promise<string[]> => namesIn(ctx.host, scripts(ctx))

export default defineModule({
  name: 'linux_service',
  doc: 'Manage services by their init scripts.',
  virtual: 'service',
  when: async ({ grains, host }) => {
    if (ELSEWHERE.includes(grains.get('os') ?? null)) return 'Your OS is on the disabled list'
    if (grains.get('kernel') !== 'Linux') return 'Non Linux OSes are not supported'
    const init = grains.get('init') ?? null
    if (init !== null && init !== 'sysvinit' && init !== 'unknown') return `Minion is running ${str(init)}`
    return (await isBootedWithSystemd(host)) ? 'Minion is running systemd' : true
  },
  functions: {
    run: changes({
      doc: 'Run an action of the init script of a service.',
      args: { name: serviceName, action: arg.string('Action') },
      returns: ret.boolean('Whether it succeeded'),
      example: 'service.run apache2 reload',
      run: (ctx, { name, action }) => act(ctx, name, action),
    }),
    start: verb('start'),
    stop: verb('stop'),
    restart: verb('restart'),
    status: status({
      all: allServices,
      isRunning: async (ctx, name) => ctx.call('status.pid', [name]),
      bySignature: (pids) => pids,
    }),
    reload: verb('reload'),
    available: question('available', async (ctx, name) => (await allServices(ctx)).includes(name)),
    missing: question('missing', async (ctx, name) => !(await allServices(ctx)).includes(name)),
    get_all: listing('get_all', allServices),
  },
})
