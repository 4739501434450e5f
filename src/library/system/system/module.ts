// The machine: shutdown and reboot, clock, name and description.
import { dictFrom, misuse, splitLines, str } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  succeeds,
  textAt,
} from '../../../sdk/mod.ts'
import {
  dateText,
  dateTimeText,
  type Fields,
  hasHardwareClock,
  parseClock,
  parseDay,
  setClock,
  timeText,
  wallClock,
} from './module/clock.ts'

const MACHINE = '/etc/machine-info'
const PRETTY = /^\s*PRETTY_HOSTNAME=(.*)$/

async function description(ctx: FunctionContext): Promise<Result> {
  const hostnamectl = await ctx.host.which('hostnamectl')
  let found: string | undefined
  if (hostnamectl !== undefined) found = await outputOf(ctx, [hostnamectl, 'status', '--pretty'])
  else {
    const lines = splitLines((await textAt(ctx.host, MACHINE)) ?? '').filter((line) => PRETTY.test(line))
    const text = lines.length > 0 ? PRETTY.exec(lines.at(-1)!)![1]!.trim() : undefined
    found = text?.replace(/^(['"])(.*)\1$/s, '$2')
  }
  if (found === undefined) return false
  return found.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\t', '\t')
}

async function describe(ctx: FunctionContext, text: string): Promise<boolean> {
  const escaped = text.replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  const hostnamectl = await ctx.host.which('hostnamectl')
  if (hostnamectl !== undefined) return succeeds(ctx, [hostnamectl, 'set-hostname', '--pretty', escaped])
  const lines = splitLines((await textAt(ctx.host, MACHINE)) ?? '', true)
  const line = `PRETTY_HOSTNAME="${escaped}"`
  const at = lines.findIndex((existing) => PRETTY.test(existing.trimEnd()))
  if (at < 0) lines.push(line)
  else lines[at] = line
  await ctx.host.write(MACHINE, lines.join(''))
  return true
}

const NOTHING: Fields = { years: null, months: null, days: null, hours: null, minutes: null, seconds: null }

async function setTime(ctx: FunctionContext, text: string, offset: string | null): Promise<boolean> {
  const time = parseClock(text)
  return time ? setClock(ctx, { ...NOTHING, ...time }, offset) : false
}

async function setDate(ctx: FunctionContext, text: string, offset: string | null): Promise<boolean> {
  const day = parseDay(text)
  if (!day) throw misuse('Invalid date format')
  return setClock(ctx, { ...NOTHING, ...day }, offset)
}

const BSD = ['FreeBSD', 'NetBSD', 'OpenBSD']
const when = (time: string | null): string => time || 'now'
const flag = (ctx: FunctionContext): string => (BSD.includes(str(ctx.grains.get('kernel') ?? '')) ? '-p' : '-h')

const utc_offset = arg.text('Offset from UTC, such as +0200; local time if not given', { optional: true })
const at_time = arg.text('Time for the shutdown command, such as 5 or 23:00; now if not given', { optional: true })
const part = arg.count('New value; unchanged if not given', { optional: true })
const hostname = arg.text('Host name')

const ELSEWHERE = dictFrom({ Windows: 'Windows', Darwin: 'Mac OS', SunOS: 'SunOS' })

export default defineModule({
  name: 'system',
  doc: 'Shut down and reboot the machine; set its clock and name.',
  when: ({ grains }) => {
    const other = ELSEWHERE.get(str(grains.get('kernel') ?? ''))
    return other === undefined || `This module is not available on ${other}`
  },
  functions: {
    halt: changes({
      doc: 'Halt the machine.',
      run: (ctx) => outputOf(ctx, ['halt']),
    }),
    init: changes({
      doc: 'Change the runlevel.',
      example: 'system.init 3',
      args: { runlevel: arg.text('Runlevel') },
      run: (ctx, { runlevel }) => outputOf(ctx, ['init', runlevel]),
    }),
    poweroff: changes({
      doc: 'Power off the machine.',
      run: (ctx) => outputOf(ctx, ['poweroff']),
    }),
    reboot: changes({
      doc: 'Reboot the machine.',
      args: { at_time },
      run: (ctx, { at_time }) => outputOf(ctx, ['shutdown', '-r', when(at_time)]),
    }),
    shutdown: changes({
      doc: 'Shut down the machine.',
      example: 'system.shutdown 5',
      args: { at_time },
      run: (ctx, { at_time }) => outputOf(ctx, ['shutdown', flag(ctx), when(at_time)]),
    }),
    has_settable_hwclock: reads({
      doc: 'Return whether the hardware clock can be set.',
      run: hasHardwareClock,
    }),
    get_system_time: reads({
      doc: 'Return the time.',
      example: "system.get_system_time '+0900'",
      args: { utc_offset },
      run: (ctx, { utc_offset }) => timeText(wallClock(ctx, utc_offset)),
    }),
    set_system_time: changes({
      doc: 'Set the time.',
      example: "system.set_system_time '11:31 PM'",
      args: { newtime: arg.string('Time, such as 11:31 PM'), utc_offset },
      run: (ctx, { newtime, utc_offset }) => setTime(ctx, newtime, utc_offset),
    }),
    get_system_date_time: reads({
      doc: 'Return the date and time.',
      example: "system.get_system_date_time '-0500'",
      args: { utc_offset },
      run: (ctx, { utc_offset }) => dateTimeText(wallClock(ctx, utc_offset)),
    }),
    set_system_date_time: changes({
      doc: 'Set parts of the date and time.',
      example: 'system.set_system_date_time 2026 5 12 11 37 53',
      args: { years: part, months: part, days: part, hours: part, minutes: part, seconds: part, utc_offset },
      run: (ctx, { utc_offset, ...fields }) => setClock(ctx, fields, utc_offset),
    }),
    get_system_date: reads({
      doc: 'Return the date.',
      args: { utc_offset },
      run: (ctx, { utc_offset }) => dateText(wallClock(ctx, utc_offset)),
    }),
    set_system_date: changes({
      doc: 'Set the date.',
      example: "system.set_system_date '03-28-26'",
      args: { newdate: arg.string('Date, such as 03-28-26'), utc_offset },
      run: (ctx, { newdate, utc_offset }) => setDate(ctx, newdate, utc_offset),
    }),
    get_computer_desc: reads({
      doc: 'Return the description of the machine.',
      run: description,
    }),
    set_computer_desc: changes({
      doc: 'Set the description of the machine.',
      example: 'system.set_computer_desc "Michael\'s laptop"',
      args: { desc: arg.string('Description') },
      run: (ctx, { desc }) => describe(ctx, desc),
    }),
    set_computer_name: changes({
      doc: 'Set the host name.',
      example: 'system.set_computer_name db1',
      args: { hostname },
      run: (ctx, args) => ctx.call('network.mod_hostname', [args.hostname]),
    }),
    get_computer_name: reads({
      doc: 'Return the host name.',
      run: (ctx) => ctx.call('network.get_hostname'),
    }),
  },
})
