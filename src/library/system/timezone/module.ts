// The time zone of the machine, and what the clock of its hardware runs on.
import { arg, changes, defineModule, outputOf, reads } from '../../../sdk/mod.ts'
import { hardwareClock, setHardwareClock } from './module/clock.ts'
import { isZone, setZone, zoneCode, zoneOf } from './module/zone.ts'

const timezone = arg.string('The zone, such as America/Denver')

const ELSEWHERE = new Map([
  ['Windows', 'win_timezone.py should replace this module on Windows.There was a problem loading win_timezone.py.'],
  ['Darwin', 'mac_timezone.py should replace this module on macOS.There was a problem loading mac_timezone.py.'],
])

export default defineModule({
  name: 'timezone',
  doc: 'Time zones.',
  when: ({ grains }) => {
    const reason = ELSEWHERE.get(String(grains.get('kernel')))
    return reason === undefined || `The timezone execution module failed to load: ${reason}`
  },
  functions: {
    get_zone: reads('The time zone.', 'timezone.get_zone', {}, zoneOf),
    get_zonecode: reads('The short name of the zone, such as MST.', 'timezone.get_zonecode', {}, zoneCode),
    get_offset: reads('The offset from UTC.', 'timezone.get_offset', {}, (ctx) => outputOf(ctx, ['date', '+%z'])),
    set_zone: changes('Set the time zone.', "timezone.set_zone 'America/Denver'", { timezone }, (ctx, { timezone }) =>
      setZone(ctx, timezone),
    ),
    zone_compare: reads(
      'Whether a zone is the one of the machine.',
      "timezone.zone_compare 'America/Denver'",
      { timezone },
      (ctx, { timezone }) => isZone(ctx, timezone),
    ),
    get_hwclock: reads('What the clock of the hardware runs on.', 'timezone.get_hwclock', {}, hardwareClock),
    set_hwclock: changes(
      'Set what the clock of the hardware runs on.',
      'timezone.set_hwclock UTC',
      { clock: arg.string('UTC or localtime') },
      (ctx, { clock }) => setHardwareClock(ctx, clock),
    ),
  },
})
