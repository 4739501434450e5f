import { expect, test } from 'vitest'
import { repr, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ethtool from './module.ts'

const RING = `Ring parameters for eth0:
Pre-set maximums:
RX:\t\t256
RX Mini:\tn/a
RX Jumbo:\tn/a
TX:\t\t256
Current hardware settings:
RX:\t\t128
RX Mini:\tn/a
RX Jumbo:\tn/a
TX:\t\t256
RX Buf Len:\t\tn/a
TX Push:\toff
`
const COALESCE = `Coalesce parameters for eth0:
Adaptive RX: on  TX: n/a
stats-block-usecs: n/a
sample-interval: 3

rx-usecs: 8
rx-frames: 1
rx-frames-irq: 5

rx-frame-low: 7
tx-frame-high: n/a

CQE mode RX: n/a  TX: n/a
`
const FEATURES = `Features for eth0:
rx-checksumming: on [fixed]
scatter-gather: on
\ttx-scatter-gather: off [fixed]
tcp-segmentation-offload: off
generic-segmentation-offload: on
`
const ANSWERS: Record<string, string> = {
  '-g': RING,
  '-c': COALESCE,
  '-k': FEATURES,
  '-i': 'driver: virtio_net\nversion: 1.0.0\nbus-info: 0000:00:03.0\n',
  '-a': 'Pause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\n\n',
  '-G': '',
  '-C': '',
  '-K': '',
  '-A': '',
}

async function call(name: string, device = 'eth0', kwargs: Record<string, Value> = {}) {
  const host = MemoryHost.with({
    files: { '/usr/sbin/ethtool': { mode: 0o755 } },
    commands: [
      ({ argv }) =>
        argv[2] === 'eth0'
          ? { stdout: ANSWERS[argv[1]!] ?? '' }
          : { stdout: 'Cannot get device settings: No such device\n', retcode: 76 },
    ],
  })
  const machine = await host
  const answer = await tryFunction(ethtool, name, { args: [device], kwargs, host: machine })
  return { answer: repr(answer), lines: machine.history.map(({ argv }) => argv.join(' ')) }
}

test.each([
  [
    'show_ring',
    "{'rx_max': 256, 'rx_mini_max': 0, 'rx_jumbo_max': 0, 'tx_max': 256, 'rx': 128, 'rx_mini': 0, 'rx_jumbo': 0, 'tx': 256}",
  ],
  ['show_driver', "{'driver': 'virtio_net', 'bus_info': '0000:00:03.0'}"],
  [
    'show_offload',
    "{'scatter_gather': 'on', 'tcp_segmentation_offload': 'off', 'udp_fragmentation_offload': 'not supported', 'generic_segmentation_offload': 'on'}",
  ],
  ['show_pause', "{'Autonegotiate': False, 'RX': True}"],
  [
    'show_features',
    "{'rx-checksumming': {'on': True, 'fixed': True}, 'scatter-gather': {'on': True, 'fixed': False}, 'tx-scatter-gather': {'on': False, 'fixed': True}, 'tcp-segmentation-offload': {'on': False, 'fixed': False}, 'generic-segmentation-offload': {'on': True, 'fixed': False}}",
  ],
])('%s reads what ethtool prints', async (name, shown) => {
  expect((await call(name)).answer).toBe(shown)
})

test('show_coalesce has the values of Salt, in its order', async () => {
  expect((await call('show_coalesce')).answer).toBe(
    "{'rx_usecs': 8, 'rx_frames': 1, 'rx_usecs_irq': 0, 'rx_frames_irg': 5, 'tx_usecs': 0, 'tx_frames': 0, 'tx_usecs_irq': 0, 'tx_frames_irq': 0, 'stats_block_usecs': 0, 'adaptive_rx': 1, 'adaptive_tx': 0, 'pkt_rate_low': 0, 'rx_usecs_low': 0, 'rx_frames_low': 7, 'tx_usecs_low': 0, 'tx_frames_low': 0, 'pkt_rate_high': 0, 'rx_usecs_high': 0, 'rx_frames_high': 0, 'tx_usecs_high': 0, 'tx_frames_high': 0, 'sample_interval': 3}",
  )
})

test.each<[string, Record<string, Value>, string | undefined]>([
  ['set_ring', { rx: 256, tx: 256, other: 1 }, 'ethtool -G eth0 rx 256'],
  ['set_ring', { rx: 128 }, undefined],
  [
    'set_coalesce',
    { adaptive_rx: 'off', rx_usecs: 8, rx_frames_low: 9 },
    'ethtool -C eth0 adaptive-rx off rx-frames-low 9',
  ],
  ['set_offload', { tcp_segmentation_offload: 'on' }, 'ethtool -K eth0 tso on'],
  ['set_pause', { autoneg: false, RX: 'on' }, 'ethtool -A eth0 autoneg off rx on'],
  ['set_feature', { sg: true }, 'ethtool -K eth0 sg on'],
])('%s with %j runs what is needed', async (name, kwargs, line) => {
  const { lines } = await call(name, 'eth0', kwargs)
  expect(lines.find((each) => / -[A-Z] /.test(each))).toBe(line)
})

test.each([
  ['show_ring', "'Not supported'"],
  ['show_coalesce', "'Not supported'"],
  ['show_driver', "'Not implemented'"],
  ['set_ring', "'Not supported'"],
])('%s of a card that cannot is %s', async (name, shown) => {
  expect((await call(name, 'lo')).answer).toBe(shown)
})

test('a setting that cannot be changed is an error', async () => {
  await expect(call('set_pause', 'eth0', { speed: 1 })).rejects.toThrow(
    "None of the valid parameters were provided: ['autoneg', 'rx', 'tx']",
  )
  await expect(call('show_features', 'lo')).rejects.toThrow('Cannot get device settings: No such device')
})
