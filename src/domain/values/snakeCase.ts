// The spelling of JSON keys that some deployments of the service use, and that this program prints.

/** `vault_address` for `vaultAddress`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
