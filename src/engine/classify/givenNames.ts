/**
 * Common given names of many countries: the best hint that the subject of "handles the data pipeline" is a person and
 * not a service. Without names that are also everyday words or products (Will, Mark, Grace, Jenkins, Dash).
 */
const givenNames = new Set(
  (
    'aaron abby abdul abigail adam adrian agnes ahmed aiko aisha akira alan albert alejandro aleksandr alessandro alex ' +
    'alexander alexandra alexandre alexei alexis ali alice alicia alina alison allison alvaro amanda amara amelia amina ' +
    'amir amit amy ana anastasia anders andre andrea andreas andrei andrew andy angela angelo anil anita anja anjali ' +
    'ann anna anne annika anthony anton antonio anya april archana arjun armando arthur arun asha ashley astrid ayesha ' +
    'aylin barbara beatriz ben benjamin bernd bernhard beth bianca bill bjorn björn bob boris brad brandon brenda ' +
    'brian bruno bryan camila camille carla carlo carlos carmen carol carolina caroline cassandra catherine cecilia ' +
    'chad chandra charles charlie charlotte chen chidi chiara chloe chris christian christina christine christoph ' +
    'christopher ciara cindy claire clara claudia claudio colin connor craig cristina cynthia daisy dan dana daniel ' +
    'daniela danielle danny daphne darren dave david davide dean deb deborah deepa deepak denis denise dennis derek ' +
    'devon diana diane diego dieter dimitri dinesh dmitri dmitry dominic dominik donald donna doris doug douglas duncan ' +
    'dylan ed edgar eduardo edward edwin eileen elaine elena eli elias elif elisa elizabeth ellen ellie elliot elsa ' +
    'emanuel emeka emily emil emilia emma emmanuel enrique eric erica erik erika erin ernesto esra esther ethan eugene ' +
    'eva evan evelyn fabian fabio farah farid fatima federico felipe felix fernanda fernando filip fiona florian ' +
    'francesca francesco francis francisco frank franz fred frederic frederik gabriel gabriela gareth gary gavin geoff ' +
    'george georg gerald gerard gianluca gina giovanni giulia glenn gonzalo gordon greg gregor greta guido guillaume ' +
    'gustavo guy hana hanna hannah hans harald harry harsh hassan heather hector heidi helen helena helga henrik henry ' +
    'hiro hiroshi holger howard hugo hui hussein ian ibrahim ignacio igor ilya ines ingrid irene irina isaac isabel ' +
    'isabella ivan jack jacob jacques jaime jake jakob jamal james jamie jan jana jane janet jared jasmine jason javier ' +
    'jay jean jeff jeffrey jen jenna jennifer jenny jens jeremy jerome jerry jess jesse jessica jill jim jimmy jin jing ' +
    'joachim joan joana joanna joao joaquin joe joel johan johanna johannes john johnny jon jonas jonathan jordan jordi ' +
    'jorge jörg jose josef joseph josh joshua joyce juan juanita judith judy jules julia julian juliana julie julien ' +
    'juliette jun jürgen justin kai kamal karen karim karin karl karla karthik kasia kate katherine kathrin kathy katie ' +
    'katja katrin kayla keith kelly ken kenji kenneth kenta kevin khalid kim kirsten klaus kofi krishna kristen ' +
    'kristian kristin kristina kumar kurt kwame kyle lars laura lauren laurent layla lea leah leila lena leo leon ' +
    'leonard leonardo leonie leslie liam lila lily lin linda ling lisa liz lorenzo lorna louis louise luca lucas lucia ' +
    'luciana lucy luis luisa lukas luke luna lydia lynn maciej madison maggie magnus mai maja malik manuel manuela marc ' +
    'marcel marco marcos marcus margaret maria mariam marianne marie marina mario marion marius marjan markus marta ' +
    'martha martin martina mary mateo mathias mathieu matt matteo matthew matthias maureen maurice mauricio max maya ' +
    'megan mehmet mei melanie melissa mia michael michaela michal michel michele michelle miguel mika mike mikhail ' +
    'milan milena mina minh miranda miriam mohamed mohammad mohammed mohan moira molly monica monika morgan moritz ' +
    'muhammad murat mustafa nadia nadine naomi natalia natalie natasha nathan nathalie neha neil nell niamh nicholas ' +
    'nick nicola nicolas nicole niklas nikolai nils nina nisha noah noor nora norbert oksana olaf oleg olga oliver ' +
    'olivia olivier omar oscar otto owen pablo pam pamela paolo pascal patricia patrick paul paula paulo pavel pedro ' +
    'peggy penny pete peter petra phil philip philipp philippe pierre piotr pooja prakash pranav praveen preeti priya ' +
    'rachel rafael rafal rahul rainer raj rajesh ralf ralph ramesh ramon raphael raquel rashid raul ravi raymond rebecca ' +
    'rekha renata rene rhea ricardo riccardo richard rick rita rob robert roberta roberto robin rodrigo roger rohan ' +
    'rohit roland rolf roman ron ronald rosa rosie ross roy ruben rudolf rui russell ruth ryan saanvi sabine sabrina ' +
    'sachin sally salma sam samantha samir samuel sandra sandro sanjay santiago sara sarah sasha satoshi scott sean ' +
    'sebastian sergei sergey sergio seth shannon sharon shaun shawn sheila shirley shreya silvia simon simone sina ' +
    'sofia sonia sonja sophia sophie sridhar stacy stan stefan stefanie stefano steffen stephan stephanie stephen steve ' +
    'steven stuart sue sunil suresh surya susan susanne svetlana sven swati sylvia takashi tamara tania tanja tanya tara ' +
    'tariq tatiana ted teresa terry tessa theo theresa thiago thomas thorsten tiago tim timo timothy tina tobias todd ' +
    'tom tomas tomasz tommy toni tony tracy travis tyler udo ulrich uma umar ursula uwe valentin valentina valeria ' +
    'vanessa vasily veronica veronika vicky victor victoria vijay vikram viktor vincent vincenzo vinod virginia vivek ' +
    'vivian vlad vladimir wang wanda wei wendy werner wilhelm william wolfgang xavier xin xiao yan yann yara yash yasmin ' +
    'yi yosef youssef yuki yuko yuri yusuf yves yvonne zach zachary zainab zara zhang zoe zoltan'
  ).split(' '),
);

/** Whether a word is a given name. Ignores case: people type names in lower case. */
export function isGivenName(word: string): boolean {
  return givenNames.has(word.toLowerCase());
}
