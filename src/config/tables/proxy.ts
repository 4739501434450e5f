// Proxy minions, which stand for devices.
import type { OptionTable } from '../option.ts'

export const PROXY = {
  proxy: {
    type: 'dict',
    for: ['minion'],
    doc: 'What this proxy minion stands for; the pillar of the same name otherwise',
  },
  proxyid: { type: 'str', for: ['minion'], doc: 'Id of the proxy minion, as the command line of salt-proxy gives it' },
  add_proxymodule_to_opts: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: false,
    doc: 'Show the proxy module as `proxymodule` in the options of Python modules',
  },
  proxy_always_alive: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: true,
    doc: 'Keep the connection to the device open between calls',
    needless: 'Only proxy modules read it',
  },
  proxy_keep_alive: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: true,
    doc: 'Ask `alive` of the proxy module on a schedule, and shut the device down and initialise it again when it is not',
  },
  proxy_keep_alive_interval: {
    type: 'int',
    for: ['minion', 'master'],
    unset: 1,
    doc: 'Minutes between these checks',
  },
  proxy_merge_grains_in_module: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: true,
    doc: 'Merge grains of the proxy module into those of the minion',
  },
  proxy_merge_pillar_in_opts: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: false,
    doc: "Put the proxy's pillar into its options",
  },
  proxy_deep_merge_pillar_in_opts: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: false,
    doc: 'Join lists where the pillar is put into the options',
  },
  proxy_merge_pillar_in_opts_strategy: {
    type: 'str',
    for: ['minion', 'master'],
    unset: 'smart',
    doc: "How the proxy's pillar joins its options: smart, aggregate, recurse, overwrite, list or none",
  },
  proxy_mines_pillar: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: true,
    doc: "Take `mine_interval` from the proxy's pillar",
  },
  metaproxy: {
    type: 'str',
    for: ['minion'],
    names: ['proxy', 'deltaproxy'],
    doc: 'How proxy minions run: `proxy` is one in a process, `deltaproxy` those under `ids` in the pillar as well',
  },
} satisfies OptionTable
