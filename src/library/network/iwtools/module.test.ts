import { expect, test } from 'vitest'
import { dictFrom, dumpJson, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import iwtools from './module.ts'

const IWCONFIG = `wlp3s0    IEEE 802.11  ESSID:"my: net"  
          Mode:Managed  Frequency:5.18 GHz  Access Point: 00:11:22:33:44:55   
          Bit Rate=866.7 Mb/s   Tx-Power=22 dBm   
          Power Management:on
          Link Quality=70/70  Signal level=-31 dBm  

`
const SCAN = `wlp3s0    Scan completed :
          Cell 01 - Address: 00:11:22:33:44:55
                    Channel:36
                    Quality=70/70  Signal level=-31 dBm  
                    ESSID:"my: net"
                    IE: Unknown: 0007
                    IE: IEEE 802.11i/WPA2 Version 1
          Cell 02 - Address: 66:77:88:99:AA:BB
                    ESSID:""

`

async function call(fun: string, args: string[], failing: Record<string, string> = {}) {
  const ran: string[] = []
  const run = (argv: Value): { retcode: number; stdout: string; stderr: string } => {
    const line = (argv as string[]).join(' ')
    ran.push(line)
    // The error of iwconfig is what version 30 prints on a machine without wireless interfaces.
    if (line === 'iwconfig') return { retcode: 0, stdout: IWCONFIG, stderr: 'lo        no wireless extensions.\n\n' }
    if (line.includes('iwlist')) {
      const isDown = failing.scan !== undefined && !ran.includes('ip link set wlp3s0 up')
      return { retcode: 0, stdout: isDown ? failing.scan! : SCAN, stderr: '' }
    }
    return failing.mode === undefined
      ? { retcode: 0, stdout: '', stderr: '' }
      : { retcode: 1, stdout: '', stderr: failing.mode }
  }
  const others = {
    'cmd.run_all': ([argv]: readonly Value[]) => dictFrom(run(argv!)),
    'cmd.run': ([argv]: readonly Value[]) => run(argv!).stdout,
    'ip.down': () => ran.push('down') > 0,
    'ip.up': () => ran.push('up') > 0,
  }
  const answer = await tryFunction(iwtools, fun, { args, others })
  return { answer: JSON.parse(dumpJson(answer)), ran }
}

test('interfaces have their properties', async () => {
  expect((await call('list_interfaces', [])).answer).toEqual({
    wlp3s0: {
      ...{ extra: ['IEEE 802.11'], ESSID: 'my: net', Mode: 'Managed', Frequency: '5.18 GHz' },
      ...{ 'Access Point': '00:11:22:33:44:55', 'Bit Rate': '866.7 Mb/s', 'Tx-Power': '22 dBm' },
      ...{ 'Power Management': 'on', 'Link Quality': '70/70', 'Signal level': '-31 dBm' },
    },
  })
  expect((await call('list_interfaces', ['list'])).answer).toEqual(['wlp3s0'])
})

test('networks are found by their addresses, on an interface that is set up for that', async () => {
  const { answer, ran } = await call('scan', ['wlp3s0'], {
    scan: "wlp3s0    Interface doesn't support scanning : Network is down\n",
  })
  expect(answer['00:11:22:33:44:55']).toMatchObject({
    ...{ Channel: '36', ESSID: '"my: net"', IE: ['Unknown: 0007', 'IEEE 802.11i/WPA2 Version 1'] },
  })
  expect(Object.keys(answer)).toEqual(['00:11:22:33:44:55', '66:77:88:99:AA:BB'])
  expect(ran).toContain('ip link set wlp3s0 up')
})

test('a mode is set while the interface is down', async () => {
  const { answer, ran } = await call('set_mode', ['wlp3s0', 'Monitor'])
  expect(answer).toBe('Monitor')
  expect(ran.slice(1)).toEqual(['down', 'iwconfig wlp3s0 mode Monitor', 'up'])
})

test.each<[string, string[], string]>([
  ['scan', ['eth0'], 'The interface specified is not valid'],
  ['set_mode', ['wlp3s0', 'x'], 'One of the following modes must be specified: Managed, Ad-Hoc'],
  ['set_mode', ['wlp3s0', 'Auto'], 'Could not set the mode of wlp3s0: Operation not permitted'],
])('%s %j is refused', async (fun, args, message) => {
  await expect(call(fun, args, { mode: 'Operation not permitted' })).rejects.toThrow(message)
})
