// Services of Windows, through PowerShell, because no other command line of the service manager prints structured data.

import { setTimeout as sleep } from 'node:timers/promises'
import { isA, lookup, recover } from '../../../base/mod.ts'
import { type Dict, failure, isDict, loadJson, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'
import { byGlob, serviceName } from './declare.ts'

async function powershell(ctx: FunctionContext, script: string, name = ''): Promise<{ text: string; error: string }> {
  const env = new Map([['BRINE_SERVICE', name]])
  const argv = ['powershell', '-NoProfile', '-NonInteractive', '-Command', `$ErrorActionPreference='Stop'; ${script}`]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, env })
  const error = retcode === 0 ? '' : Buffer.from(stderr).toString().trim() || `code ${retcode}`
  return { text: Buffer.from(stdout).toString().trim(), error }
}

async function query(ctx: FunctionContext, script: string, name = ''): Promise<Dict[]> {
  const { text, error } = await powershell(ctx, `${script} | ConvertTo-Json -Compress`, name)
  if (error !== '') throw failure(error)
  if (text === '') return []
  const found = loadJson(text)
  return (Array.isArray(found) ? found : [found]) as Dict[]
}

const ALL = 'Get-CimInstance Win32_Service | Select-Object Name,DisplayName,StartMode,State'
const ONE = '$n=$env:BRINE_SERVICE; Get-CimInstance Win32_Service | Where-Object { $_.Name -eq $n }'

const START: Readonly<Record<string, string>> = lookup({ Auto: 'Auto', Manual: 'Manual', Disabled: 'Disabled' })

async function info(ctx: FunctionContext, name: string): Promise<Dict> {
  const [row] = await query(
    ctx,
    `${ONE} | Select-Object Name,DisplayName,Description,StartMode,State,PathName,StartName,ExitCode,DelayedAutoStart`,
    name,
  )
  if (!row || !isDict(row))
    throw failure(`Failed To Open ${name}: The specified service does not exist as an installed service.`)
  return new Map<Value, Value>([
    ['BinaryPath', row.get('PathName') ?? null],
    ['ServiceAccount', row.get('StartName') ?? null],
    ['DisplayName', row.get('DisplayName') ?? null],
    ['Description', row.get('Description') ?? null],
    ['Status', str(row.get('State') ?? 'Unknown')],
    ['Status_ExitCode', row.get('ExitCode') ?? 0],
    ['StartType', START[str(row.get('StartMode') ?? '')] ?? 'Boot'],
    ['StartTypeDelayed', row.get('DelayedAutoStart') ?? false],
  ])
}

async function names(ctx: FunctionContext, types?: readonly string[]): Promise<string[]> {
  const rows = await query(ctx, ALL)
  const wanted = rows.filter((row) => types === undefined || types.includes(str(row.get('StartMode') ?? '')))
  return [...new Set(wanted.map((row) => str(row.get('Name')!)))].sort()
}

async function setStart(ctx: FunctionContext, name: string, type: string): Promise<void> {
  const { error } = await powershell(ctx, `Set-Service -Name $env:BRINE_SERVICE -StartupType ${type}`, name)
  if (error !== '') throw failure(`Failed To Modify ${name}: ${error}`)
}

/** Wait while the service changes its state. */
async function settled(
  ctx: FunctionContext,
  name: string,
  seconds: number,
  passing: readonly string[],
): Promise<string> {
  const end = ctx.host.now() + seconds
  for (;;) {
    const status = str((await info(ctx, name)).get('Status')!)
    if (!passing.includes(status) || ctx.host.now() >= end) return status
    await sleep(1000)
  }
}

async function start(ctx: FunctionContext, name: string, timeout: number): Promise<boolean> {
  if ((await info(ctx, name)).get('StartType') === 'Disabled') await setStart(ctx, name, 'Manual')
  const { error } = await powershell(ctx, 'Start-Service -Name $env:BRINE_SERVICE', name)
  if (error !== '') throw failure(`Failed To Start ${name}: ${error}`)
  return (await settled(ctx, name, timeout, ['Start Pending', 'Stopped'])) === 'Running'
}

async function stop(ctx: FunctionContext, name: string, timeout: number): Promise<boolean> {
  const { error } = await powershell(ctx, 'Stop-Service -Force -Name $env:BRINE_SERVICE', name)
  if (error !== '') throw failure(`Failed To Stop ${name}: ${error}`)
  return (await settled(ctx, name, timeout, ['Running', 'Stop Pending'])) === 'Stopped'
}

async function statusOf(ctx: FunctionContext, name: string): Promise<Value> {
  return recover(isA(SaltError), 'Not Found', async () =>
    ['Running', 'Stop Pending'].includes(str((await info(ctx, name)).get('Status')!)),
  )
}

async function hasStart(ctx: FunctionContext, name: string, types: readonly string[]): Promise<boolean> {
  return types.includes(str((await info(ctx, name)).get('StartType')!))
}

const timeout = arg.count('Timeout in seconds', { default: 90 })
const onService = { name: serviceName }
const kwargs = arg.ignored()

export default defineModule({
  name: 'win_service',
  doc: 'Manage services of Windows.',
  virtual: 'service',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Module win_service: module only works on Windows.',
  functions: {
    get_enabled: reads({
      doc: 'Return the services that start at boot.',
      run: (ctx) => names(ctx, ['Auto']),
    }),
    get_disabled: reads({
      doc: 'Return the services that do not start at boot.',
      run: (ctx) => names(ctx, ['Manual', 'Disabled']),
    }),
    available: reads({
      doc: 'Return whether a service exists.',
      example: 'service.available wuauserv',
      args: onService,
      run: async (ctx, { name }) => (await names(ctx)).some((known) => known.toLowerCase() === name.toLowerCase()),
    }),
    missing: reads({
      doc: 'Return whether a service does not exist.',
      example: 'service.missing wuauserv',
      args: onService,
      run: async (ctx, { name }) => !(await names(ctx)).includes(name),
    }),
    get_all: reads({ doc: 'Return all services.', example: 'service.get_all', run: (ctx) => names(ctx) }),
    get_service_name: reads({
      doc: 'Return service names by display name.',
      example: "service.get_service_name 'Google Update Service (gupdate)'",
      args: { args: arg.rest('Names to look for; all if none') },
      run: async (ctx, { args }) => {
        const rows = await query(ctx, ALL)
        const wanted = rows.filter((row) => {
          const [name, shown] = [str(row.get('Name')!), str(row.get('DisplayName') ?? '')]
          return args.length === 0 || [name, name.toLowerCase(), shown].some((text) => args.includes(text))
        })
        return new Map<Value, Value>(wanted.map((row) => [row.get('DisplayName') ?? null, row.get('Name') ?? null]))
      },
    }),
    info: reads({
      doc: 'Return the details of a service.',
      example: 'service.info spooler',
      args: onService,
      run: (ctx, { name }) => info(ctx, name),
    }),
    start: changes({
      doc: 'Start a service.',
      example: 'service.start spooler',
      args: { name: serviceName, timeout },
      run: (ctx, args) => start(ctx, args.name, args.timeout),
    }),
    stop: changes({
      doc: 'Stop a service.',
      example: 'service.stop spooler',
      args: { name: serviceName, timeout },
      run: (ctx, args) => stop(ctx, args.name, args.timeout),
    }),
    restart: changes({
      doc: 'Restart a service.',
      example: 'service.restart spooler',
      args: { name: serviceName, timeout },
      run: async (ctx, args) =>
        (await stop(ctx, args.name, args.timeout)) && (await start(ctx, args.name, args.timeout)),
    }),
    status: reads({
      doc: 'Return whether a service is running.',
      example: 'service.status spooler',
      args: { name: serviceName, args: arg.rest('Ignored'), kwargs },
      run: (ctx, { name }) =>
        byGlob(
          name,
          () => names(ctx),
          (service) => statusOf(ctx, service),
        ),
    }),
    enable: changes({
      doc: 'Enable a service at boot.',
      example: 'service.enable spooler',
      args: { name: serviceName, start_type: arg.string('Auto or Manual', { default: 'auto' }), kwargs },
      run: async (ctx, { name, start_type }) => {
        await setStart(ctx, name, start_type.toLowerCase() === 'manual' ? 'Manual' : 'Automatic')
        return hasStart(ctx, name, ['Auto', 'Manual'])
      },
    }),
    disable: changes({
      doc: 'Disable a service at boot.',
      example: 'service.disable spooler',
      args: { name: serviceName, kwargs },
      run: async (ctx, args) => {
        await setStart(ctx, args.name, 'Disabled')
        return hasStart(ctx, args.name, ['Disabled'])
      },
    }),
    enabled: reads({
      doc: 'Return whether a service is enabled at boot.',
      example: 'service.enabled spooler',
      args: { name: serviceName, kwargs },
      run: (ctx, args) => hasStart(ctx, args.name, ['Auto']),
    }),
    disabled: reads({
      doc: 'Return whether a service is disabled at boot.',
      example: 'service.disabled spooler',
      args: onService,
      run: async (ctx, { name }) => !(await hasStart(ctx, name, ['Auto'])),
    }),
  },
})
