// The package has types only for its index, which takes 100 ms to load; this file takes 2 ms.
declare module "@stellar/stellar-base/lib/strkey.js" {
  export const StrKey: {
    isValidEd25519PublicKey(text: string): boolean
    isValidContract(text: string): boolean
    encodeEd25519PublicKey(bytes: Buffer): string
  }
}
