// The world that warehouses of earlier layouts were made from.
export const layoutWorld = { vaults: 2, days: 12, now: "2026-06-01T00:00:00Z" } as const
