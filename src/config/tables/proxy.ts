// Minions that stand for devices.
import { later, type OptionTable } from '../option.ts'

export const PROXY = {
  proxy: { type: 'dict', for: ['minion'], doc: 'What this proxy minion stands for' },
  ...later('salt-proxy', {
    proxy_always_alive: {
      type: 'bool',
      for: ['minion', 'master'],
      doc: 'Count the device as reachable without asking',
    },
    proxy_keep_alive: { type: 'bool', for: ['minion', 'master'], doc: 'Reconnect to a device that was lost' },
    proxy_keep_alive_interval: { type: 'int', for: ['minion', 'master'], doc: 'Minutes between checks of the device' },
    proxy_merge_grains_in_module: {
      type: 'bool',
      for: ['minion', 'master'],
      doc: 'Merge grains of the proxy module into those of the minion',
    },
    proxy_merge_pillar_in_opts: {
      type: 'bool',
      for: ['minion', 'master'],
      doc: "Put the proxy's pillar into its options",
    },
    proxy_deep_merge_pillar_in_opts: {
      type: 'bool',
      for: ['minion', 'master'],
      doc: "Merge the proxy's pillar into its options level by level",
    },
    proxy_merge_pillar_in_opts_strategy: {
      type: 'str',
      for: ['minion', 'master'],
      doc: "How the proxy's pillar joins its options",
    },
    proxy_mines_pillar: { type: 'bool', for: ['minion', 'master'], doc: "Take mine functions from the proxy's pillar" },
    metaproxy: { type: 'str', for: ['minion'], doc: 'Which implementation runs the proxy minion' },
  }),
} satisfies OptionTable
