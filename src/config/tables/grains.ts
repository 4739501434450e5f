// Facts about a minion.
import type { OptionTable } from '../option.ts'

export const GRAINS = {
  grains: { type: 'dict', minion: {}, doc: 'Grains set by hand' },
  grains_blacklist: { type: 'list', minion: [], doc: 'Globs of grains that are left out' },
  grains_cache: { minion: false, doc: 'Keep grains on disk between runs' },
  grains_cache_expiration: { minion: 300, doc: 'Seconds that kept grains are good' },
  grains_deep_merge: { minion: false, doc: 'Merge grains of users into core grains level by level' },
  grains_dirs: { type: 'list', minion: [], doc: 'Further directories of grain modules' },
  grains_refresh_every: { type: 'int', minion: 0, doc: 'Minutes between refreshments of grains; 0 never' },
  enable_fqdns_grains: { type: 'bool', minion: false, doc: 'Look up the names of all addresses' },
  enable_gpu_grains: { type: 'bool', minion: true, master: false, doc: 'Look for graphics cards' },
  enable_lspci: { type: 'bool', for: ['minion', 'master'], unset: true, doc: 'Use lspci to look for graphics cards' },
  start_event_grains: { minion: [], doc: 'Grains that the start event carries' },
  grains_refresh_pre_exec: {
    type: 'bool',
    for: ['minion', 'master'],
    doc: 'Refresh grains before each job',
    later: 'the refreshment of grains before each job',
  },
  enable_cloud_grains: {
    type: 'bool',
    for: ['minion'],
    doc: "Ask the cloud's metadata service for grains",
    later: 'grains of cloud providers',
  },
  metadata_server_grains: {
    type: 'bool',
    for: ['minion'],
    doc: 'Ask the metadata server for grains',
    later: 'grains of cloud providers',
  },
} satisfies OptionTable
