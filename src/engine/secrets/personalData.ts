import { findSecret } from './secretScanner.js';

/** A kind of personal data in a text, never the data itself. */
export interface PersonalDataMatch {
  readonly label:
    'health data' | 'home address' | 'identity number' | 'date of birth' | 'phone number' | 'bank account';
}

/** Words before what follows, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const patterns: readonly (readonly [label: PersonalDataMatch['label'], pattern: RegExp])[] = [
  [
    'health data',
    /\b(?:i|my (?:son|daughter|wife|husband|partner|mother|father|child))\b[^.!?\n]{0,30}\b(?:ha(?:ve|s)|suffers? from|am|is|was|been|takes?|diagnosed with)\b[^.!?\n]{0,30}\b(?:diabet(?:es|ic)|asthma(?:tic)?|cancer|epilep(?:sy|tic)|depress(?:ion|ed)|anxiety disorder|adhd|autis(?:m|tic)|bipolar|hiv|aids|hepatitis|pregnant|dyslexi[ac]|migraines?|insulin|ritalin|antidepressants?|chemotherapy|multiple sclerosis|crohn'?s|celiac|alzheimer'?s|parkinson'?s)\b/iu,
  ],
  ['health data', /\bmy (?:diagnosis|medication|blood type|therapist|psychiatrist|illness|disability|allergy)\b/iu],
  [
    'health data',
    /\bich\b[^.!?\n]{0,40}\b(?:Diabetes|Asthma|Krebs|Epilepsie|Depressionen?|ADHS|HIV|schwanger|Migräne)\b|\bmeine (?:Diagnose|Blutgruppe|Krankheit|Medikamente|Behinderung)\b/iu,
  ],
  [
    'health data',
    /\bj['’]ai\b[^.!?\n]{0,30}\b(?:diabète|asthme|cancer|épilepsie|dépression)|\bje suis (?:diabétique|enceinte|asthmatique|épileptique)\b|\b(?:tengo|padezco)\b[^.!?\n]{0,30}\b(?:diabetes|asma|cáncer|epilepsia|depresión)\b|\b(?:ho|soffro di)\b[^.!?\n]{0,30}\b(?:diabete|asma|cancro|epilessia|depressione)\b|\b(?:tenho|sofro de)\b[^.!?\n]{0,30}\b(?:diabetes|asma|câncer|cancro|epilepsia|depressão)\b|\bik heb\b[^.!?\n]{0,30}\b(?:diabetes|astma|kanker|epilepsie|depressie)\b/iu,
  ],
  [
    'home address',
    /\bi live (?:at|in) \d+[\p{L}\s]|\bi live (?:at|in|on)\b[^.!?\n]{0,40}\b\d+\b[^.!?\n]{0,20}|\bmy (?:home |postal |private )?address (?:is|:)|\bich wohne\b[^.!?\n]{0,40}\b\d+|\bmeine (?:Adresse|Anschrift)\b|\bj['’]habite (?:au )?\d|\bmon adresse\b(?! (?:ip|e-?mail))|\bvivo en\b[^.!?\n]{0,40}\d|\bmi dirección\b|\babito in\b[^.!?\n]{0,40}\d|\bmio indirizzo\b|\bmeu endereço\b|\bik woon\b[^.!?\n]{0,40}\d|\bmijn adres\b/iu,
  ],
  [
    'identity number',
    /\b(?:passport|social security|national id(?:entity)?|identity card|id card|driver'?s licen[cs]e|tax(?:payer)? id(?:entification)?|national insurance|health insurance)(?: (?:number|no\.?|#))?\b[^.!?\n]{0,15}?\b(?:[A-Z]{0,2}[ -]?\d){5,}/iu,
  ],
  [
    'identity number',
    /\b(?:Ausweisnummer|Personalausweis|Reisepass(?:nummer)?|Steuer-?ID|Steueridentifikationsnummer|Sozialversicherungsnummer|numéro de sécurité sociale|numéro de passeport|DNI|NIE|número de pasaporte|codice fiscale|numero di passaporto|CPF|NIF|BSN|burgerservicenummer)\b[^.!?\n]{0,20}[A-Z]{0,6}\d[\dA-Z .-]{5,}/iu,
  ],
  [
    'date of birth',
    /\b(?:i was born on|my (?:birthday|date of birth) is|ich bin am .{0,20} geboren|né le|née le|nací el)\b/iu,
  ],
  [
    'phone number',
    /\b(?:my|meine|mon|mi|mio|meu|mijn)\b[^.!?\n]{0,20}\b(?:phone|mobile|cell|telefon(?:nummer)?|handynummer|téléphone|portable|teléfono|telefono|telefone|telefoonnummer)\b[^.!?\n]{0,20}\+?\d[\d ()/-]{5,}/iu,
  ],
  ['bank account', /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/u],
];

/**
 * The first personal data of the usual kinds in a text: health, home address, identity numbers, date of birth, phone number,
 * bank account. A hint for the person and nothing more: it keeps no text out. Linear, never throws.
 */
export function findPersonalData(text: string): PersonalDataMatch | undefined {
  const found = patterns.find(([, pattern]) => pattern.test(text));
  return found === undefined ? undefined : { label: found[0] };
}

/** Whether a text holds a secret, or personal data of the usual kinds. */
export function isPrivateText(text: string): boolean {
  return findSecret(text) !== undefined || findPersonalData(text) !== undefined;
}
