// Services of FreeBSD: scripts of rc.d, through `service`, also in jails. Variables of rc.conf enable services.
import { failure, isUpper, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  reads,
  ret,
  succeeds,
  textAt,
} from '../../../sdk/mod.ts'
import { byGlob, serviceName } from './declare.ts'

async function program(ctx: FunctionContext, name: string): Promise<string> {
  const path = await ctx.host.which(name)
  if (path === undefined) throw failure(`'${name}' command not found`)
  return path
}

async function service(ctx: FunctionContext, jail: string | null): Promise<string> {
  const path = await program(ctx, 'service')
  return jail ? `${await program(ctx, 'jexec')} ${jail} ${path}` : path
}

async function jailPath(ctx: FunctionContext, jail: string | null): Promise<string> {
  if (!jail) return ''
  const shown = await ctx.call('cmd.run_stdout', [`${await program(ctx, 'jls')} -n jid name path`])
  for (const line of splitLines(str(shown))) {
    const [jid, name, path] = line.split(/\s+/).map((pair) => pair.split('=')[1]?.trim())
    if (jid === jail || name === jail) return path!.replace(/\/+$/, '')
  }
  return ''
}

async function allServices(ctx: FunctionContext, jail: string | null = null): Promise<string[]> {
  const lines = splitLines(await outputOf(ctx, `${await service(ctx, jail)} -l`))
  return lines.filter((line) => !isUpper(line)).sort()
}

/** Return the variable that enables a service, and its value. */
async function variable(
  ctx: FunctionContext,
  name: string,
  jail: string | null,
): Promise<[string, string] | undefined> {
  if (!(await allServices(ctx, jail)).includes(name)) {
    ctx.log('error', `Service ${name} not found`)
    return undefined
  }
  const shown = await ctx.call('cmd.run_stdout', [`${await service(ctx, jail)} ${name} rcvar`], { python_shell: false })
  const line = splitLines(str(shown)).find((text) => text.includes('_enable="'))
  return line === undefined ? undefined : [line.split('=')[0]!, line.split('"')[1]!]
}

async function isEnabled(ctx: FunctionContext, name: string, jail: string | null): Promise<boolean> {
  const found = await variable(ctx, name, jail)
  return found !== undefined && ['yes', 'true', 'on', '1'].includes(found[1].toLowerCase())
}

async function enabledServices(ctx: FunctionContext, jail: string | null): Promise<string[]> {
  const shown = splitLines(await outputOf(ctx, `${await service(ctx, jail)} -e`))
  const found = new Set(shown.map((path) => path.split('/').at(-1)!))
  const root = await jailPath(ctx, jail)
  for (const name of await allServices(ctx, jail)) {
    const own = `${root}/etc/rc.conf.d/${name}`
    if (!found.has(name) && (await ctx.host.access(own, 'exists')) && (await isEnabled(ctx, name, jail)))
      found.add(name)
  }
  return [...found].sort()
}

/** Set the variable of a service in rc.conf, or in the file of the option `service.config`. */
async function enable(ctx: FunctionContext, name: string, on: boolean, kwargs: ReadonlyMap<string, Value>) {
  const jail = str(kwargs.get('jail') ?? '')
  const rcvar = (await variable(ctx, name, jail))?.[0]
  if (rcvar === undefined) return false
  const chroot = str(kwargs.get('chroot') ?? '').replace(/\/+$/, '') || (await jailPath(ctx, jail))
  const fallback = { default: `${chroot}/etc/rc.conf` }
  let config = kwargs.get('config') ?? (await ctx.call('config.option', ['service.config'], fallback))
  if (!truthy(config)) {
    const folder = `${chroot}/etc/rc.conf.d`
    if ((await ctx.host.stat(folder))?.type !== 'directory') {
      ctx.log('error', `${folder} not exists`)
      return false
    }
    config = `${folder}/${rcvar.replaceAll('_enable', '')}`
  }
  const wanted = `${rcvar}="${on ? 'YES' : 'NO'}"`
  const lines = splitLines((await textAt(ctx.host, str(config))) ?? '', true)
  const isSet = lines.some((line) => line.startsWith(`${rcvar}=`))
  const edited = lines.map((line) => (line.startsWith(`${rcvar}=`) ? line.replace(/^\S+/, wanted) : line))
  const text = edited.join('')
  const gap = lines.length > 1 && !text.endsWith('\n') ? '\n' : ''
  await ctx.host.write(str(config), isSet ? text : `${text}${gap}${wanted}\n`)
  return true
}

const jail = arg.text('Id or name of a jail', { optional: true })
const kwargs = arg.open('`jail`, `chroot` and `config`, the file to write')

const verb = (doc: string, verb: string) => ({
  ...changes({
    doc,
    example: `service.${verb} nginx`,
    args: { name: serviceName, jail },
    run: async (ctx, { name, jail }) => succeeds(ctx, `${await service(ctx, jail)} ${name} one${verb}`),
  }),
  ...(verb === 'reload' && { calledAs: 'reload_' }),
})

export default defineModule({
  name: 'freebsdservice',
  doc: 'Manage services of FreeBSD.',
  virtual: 'service',
  when: ({ grains }) =>
    grains.get('os') === 'FreeBSD' ||
    'The freebsdservice execution module cannot be loaded: only available on FreeBSD systems.',
  functions: {
    get_enabled: reads({
      doc: 'Return the services that start at boot.',
      args: { jail },
      run: (ctx, args) => enabledServices(ctx, args.jail),
    }),
    get_disabled: reads({
      doc: 'Return the services that do not start at boot.',
      args: { jail },
      run: async (ctx, { jail }) => {
        const enabled = await enabledServices(ctx, jail)
        return (await allServices(ctx, jail)).filter((name) => !enabled.includes(name))
      },
    }),
    enable: changes({
      doc: 'Enable a service at boot.',
      example: 'service.enable sshd',
      args: { name: serviceName, kwargs },
      run: (ctx, args) => enable(ctx, args.name, true, args.kwargs),
    }),
    disable: changes({
      doc: 'Disable a service at boot.',
      example: 'service.disable sshd',
      args: { name: serviceName, kwargs },
      run: (ctx, args) => enable(ctx, args.name, false, args.kwargs),
    }),
    enabled: reads({
      doc: 'Return whether a service is enabled at boot.',
      example: 'service.enabled sshd',
      args: { name: serviceName, kwargs },
      run: (ctx, args) => isEnabled(ctx, args.name, str(args.kwargs.get('jail') ?? '')),
    }),
    disabled: reads({
      doc: 'Return whether a service is disabled at boot.',
      example: 'service.disabled sshd',
      args: { name: serviceName, kwargs },
      run: async (ctx, args) => !(await isEnabled(ctx, args.name, str(args.kwargs.get('jail') ?? ''))),
    }),
    available: reads({
      doc: 'Return whether a service exists.',
      example: 'service.available sshd',
      args: { name: serviceName, jail },
      run: async (ctx, args) => (await allServices(ctx, args.jail)).includes(args.name),
    }),
    missing: reads({
      doc: 'Return whether a service does not exist.',
      example: 'service.missing sshd',
      args: { name: serviceName, jail },
      run: async (ctx, args) => !(await allServices(ctx, args.jail)).includes(args.name),
    }),
    get_all: reads({
      doc: 'Return all services.',
      args: { jail },
      run: (ctx, { jail }) => allServices(ctx, jail),
    }),
    start: verb('Start a service.', 'start'),
    stop: verb('Stop a service.', 'stop'),
    restart: verb('Restart a service.', 'restart'),
    reload: verb('Reload the configuration of a service.', 'reload'),
    status: reads({
      doc: 'Return whether a service is running.',
      args: {
        name: serviceName,
        sig: arg.text('Pattern of a process line; look for such a process instead', { optional: true }),
        jail,
      },
      returns: ret.any('True or False; a dict by name for a name with wildcards'),
      example: 'service.status sshd',
      run: async (ctx, { name, sig, jail }) => {
        if (sig) return truthy(await ctx.call('status.pid', [sig]))
        const command = await service(ctx, jail)
        return byGlob(
          name,
          () => allServices(ctx),
          (other) => succeeds(ctx, `${command} ${other} onestatus`, { ignore_retcode: true }),
        )
      },
    }),
  },
})
