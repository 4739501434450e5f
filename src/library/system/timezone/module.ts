// The time zone of the machine, and the time standard of its hardware clock.
import { arg, changes, defineModule, outputOf, reads } from '../../../sdk/mod.ts'
import { hardwareClock, setHardwareClock } from './module/clock.ts'
import { isZone, setZone, zoneCode, zoneOf } from './module/zone.ts'

const timezone = arg.string('Time zone, such as America/Denver')

const ELSEWHERE = new Map([
  ['Windows', 'win_timezone.py should replace this module on Windows.There was a problem loading win_timezone.py.'],
  ['Darwin', 'mac_timezone.py should replace this module on macOS.There was a problem loading mac_timezone.py.'],
])

export default defineModule({
  name: 'timezone',
  doc: 'Manage the time zone.',
  when: ({ grains }) => {
    const reason = ELSEWHERE.get(String(grains.get('kernel')))
    return reason === undefined || `The timezone execution module failed to load: ${reason}`
  },
  functions: {
    get_zone: reads({ doc: 'Return the time zone.', example: 'timezone.get_zone', run: zoneOf }),
    get_zonecode: reads({
      doc: 'Return the abbreviation of the time zone, such as MST.',
      run: zoneCode,
    }),
    get_offset: reads({
      doc: 'Return the offset from UTC.',
      run: (ctx) => outputOf(ctx, ['date', '+%z']),
    }),
    set_zone: changes({
      doc: 'Set the time zone.',
      example: "timezone.set_zone 'America/Denver'",
      args: { timezone },
      run: (ctx, { timezone }) => setZone(ctx, timezone),
    }),
    zone_compare: reads({
      doc: 'Return whether a time zone is that of the machine.',
      example: "timezone.zone_compare 'America/Denver'",
      args: { timezone },
      run: (ctx, { timezone }) => isZone(ctx, timezone),
    }),
    get_hwclock: reads({
      doc: 'Return whether the hardware clock is in UTC or local time.',
      run: hardwareClock,
    }),
    set_hwclock: changes({
      doc: 'Set the hardware clock to UTC or local time.',
      example: 'timezone.set_hwclock UTC',
      args: { clock: arg.string('UTC or localtime') },
      run: (ctx, { clock }) => setHardwareClock(ctx, clock),
    }),
  },
})
