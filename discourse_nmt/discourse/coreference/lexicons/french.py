"""French: closed classes and common words, written for this project; given names are the English lists' and more.

A form with an apostrophe stands with either sign for it, a pronoun after a verb with its hyphen (*dit-il*, *a-t-il*).
"""

from discourse_nmt.discourse.coreference.lexicons.english import AMBIGUOUS_NAMES, FEMININE_NAMES, MASCULINE_NAMES
from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    ANYONE,
    BODY,
    FEMININE,
    MAN,
    MASCULINE,
    NEUTER,
    PERSON,
    PLURAL,
    SEVERAL,
    SINGULAR,
    SOMEONE,
    SPEAKING,
    THING,
    TOLD,
    UNKNOWN,
    WOMAN,
    ReferringWords,
    pronouns,
    words,
)

PRONOUN_ROWS = (
    ("i", SINGULAR, PERSON, "je j' j’ me m' m’ moi mon ma mes mien mienne miens miennes moi-même -je -moi"),
    ("we", PLURAL, PERSON, "nous notre nos nôtre nôtres nous-mêmes -nous"),
    ("you", UNKNOWN, PERSON, "tu te t' t’ toi ton ta tes tien tienne toi-même -tu -toi"),
    ("you", UNKNOWN, PERSON, "vous votre vos vôtre vôtres vous-même vous-mêmes -vous"),
    ("he", SINGULAR, MASCULINE, "il le celui celui-ci celui-là lui-même -il -t-il -le"),
    ("she", SINGULAR, FEMININE, "elle la celle celle-ci celle-là elle-même -elle -t-elle -la"),
    ("they", PLURAL, UNKNOWN, "les eux eux-mêmes -les -leur"),
    ("they", PLURAL, MASCULINE, "ils ceux ceux-ci ceux-là -ils -t-ils"),
    ("they", PLURAL, FEMININE, "elles celles celles-ci celles-là elles-mêmes -elles -t-elles"),
    ("their", SINGULAR, UNKNOWN, "l' l’ lui son sa ses sien sienne siens siennes -lui"),
    ("their", PLURAL, UNKNOWN, "leur leurs"),
    ("self", UNKNOWN, UNKNOWN, "se s' s’ soi soi-même"),
    ("who", UNKNOWN, UNKNOWN, "qui que qu' qu’ dont où lequel laquelle lesquels lesquelles"),
    ("who", UNKNOWN, UNKNOWN, "auquel auxquels auxquelles duquel desquels desquelles"),
    ("that", SINGULAR, NEUTER, "ce c' c’ ça cela ceci -ce"),
    ("this", UNKNOWN, UNKNOWN, "cet cette ces"),
    ("what", UNKNOWN, NEUTER, "quoi"),
    ("one", SINGULAR, PERSON, "on -on -t-on"),
    ("one", SINGULAR, UNKNOWN, "un une l'un l'une"),
    ("each", UNKNOWN, UNKNOWN, "tous toutes tout toute autre autres plusieurs certains certaines chacun chacune"),
    ("each", UNKNOWN, UNKNOWN, "aucun aucune quelques-uns quelques-unes deux beaucoup"),
    ("someone", SINGULAR, PERSON, "quelqu'un quelqu’un personne quiconque"),
    ("something", SINGULAR, NEUTER, "rien quelque-chose"),
    ("here", UNKNOWN, NEUTER, "ici là y là-bas -y"),
    ("now", UNKNOWN, NEUTER, "maintenant alors aujourd'hui aujourd’hui hier demain"),
    ("so", UNKNOWN, NEUTER, "en -en"),
)
ANY_TOLD = ANYONE | THING | BODY | SEVERAL | TOLD
REFERENTS = {
    "i": ANYONE | SPEAKING,
    "we": SEVERAL | BODY | SPEAKING,
    "you": ANYONE | SEVERAL | BODY | SPEAKING,
    "he": MAN | SOMEONE | THING | BODY | TOLD,  # nouns of things have gender
    "she": WOMAN | SOMEONE | THING | BODY | TOLD,
    "they": SOMEONE | THING | BODY | SEVERAL | TOLD,
    "their": ANY_TOLD,
    "who": ANY_TOLD,
    "that": ANYONE | THING | BODY | TOLD,  # "c'est ma sœur"
    "someone": ANYONE | SEVERAL | TOLD,
    "something": THING | BODY | TOLD,
    "here": THING | BODY | TOLD,
    "so": THING | BODY | SEVERAL | TOLD,
    "now": THING | TOLD,
}
SAYING = words(
    "dire demander répondre répliquer rétorquer crier hurler appeler chuchoter murmurer ajouter expliquer raconter "
    "déclarer affirmer annoncer continuer poursuivre commencer reprendre répéter remarquer observer noter souligner "
    "penser songer écrire avertir promettre admettre avouer reconnaître supplier ordonner rire soupirer sangloter "
    "grogner gémir souffler protester assurer rappeler informer interrompre conclure plaisanter balbutier s'exclamer "
    "exclamer écrier insister préciser indiquer estimer lancer"
)
ADDRESSING = words("à au aux")
REFLEXIVE = words("se s' s’ soi soi-même moi-même toi-même lui-même elle-même nous-mêmes vous-même eux-mêmes")
SPEAKING_WORDS = words(
    "je j' j’ me m' m’ moi mon ma mes -je -moi nous notre nos -nous tu te t' t’ toi ton ta tes -tu -toi vous votre "
    "vos -vous"
)
ADVERBS = words("ici là là-bas y maintenant alors aujourd'hui aujourd’hui hier demain")
DETERMINERS = {
    **dict.fromkeys(words("le la les l' l’ du au aux des"), "definite"),
    **dict.fromkeys(words("un une d' de"), "indefinite"),
    **dict.fromkeys(words("ce cet cette ces tel telle tels telles"), "demonstrative"),
    **dict.fromkeys(words("mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs"), "possessive"),
    **dict.fromkeys(
        words(
            "chaque tout toute tous toutes aucun aucune quelque quelques plusieurs certains certaines divers diverses "
            "nul nulle peu beaucoup"
        ),
        "quantified",
    ),
}
MASCULINE_WORDS = words(
    "monsieur m. messieurs mm. roi prince duc comte baron empereur tsar lord sir homme hommes garçon garçons gars "
    "type père papa grand-père pépé fils frère frères oncle neveu cousin parrain beau-père beau-frère gendre "
    "petit-fils mari époux fiancé veuf acteur serveur moine prêtre curé évêque pape rabbin imam abbé dieu seigneur "
    "roi maître président directeur sénateur chanteur ami copain voisin berger"
)
FEMININE_WORDS = words(
    "madame mme mme. mesdames mademoiselle mlle mlle. dame reine princesse duchesse comtesse baronne impératrice lady "
    "femme femmes fille filles fillette mère maman grand-mère mémé sœur sœurs tante nièce cousine marraine belle-mère "
    "belle-sœur belle-fille petite-fille épouse fiancée veuve actrice serveuse nonne religieuse abbesse déesse "
    "présidente directrice sénatrice chanteuse amie copine voisine bergère infirmière"
)
MORE_MASCULINE_NAMES = words(
    "alain alexandre antoine armand arnaud aurélien bastien benoît bernard cédric christophe clément cyril damien "
    "denis didier édouard émile étienne fabien fabrice félix fernand florent françois franck frédéric gaston georges "
    "gérard gilles grégoire guillaume gustave guy henri hervé honoré hugues jacques jean jean-claude jean-luc "
    "jean-marie jean-paul jean-pierre jérôme joël josé julien laurent léon loïc louis lucien marcel mathieu maxime "
    "michel nicolas olivier pascal patrice paul philippe pierre raoul raymond rémi rené romain sébastien serge "
    "stéphane sylvain théo théophile thibault thierry tristan vincent xavier yann yves"
)
MORE_FEMININE_NAMES = words(
    "adèle adrienne agnès alix amandine amélie anaïs andrée annick annie arlette aude aurélie béatrice bérénice "
    "blanche brigitte camille capucine catherine cécile céline chantal charlène chloé clémence clotilde colette "
    "coralie corinne delphine denise éléonore élise élodie éloïse émilie estelle eugénie fabienne florence françoise "
    "frédérique gabrielle geneviève georgette germaine ghislaine gisèle hélène henriette hortense inès isabelle "
    "jacqueline jeanne joëlle josette josiane juliette justine laetitia laure laurence léa lise louise lucie lucienne "
    "madeleine margot marguerite marie marie-claire marine marion marthe martine mathilde maryse mireille monique "
    "muriel mylène nadège nathalie nicole noémie océane odette odile pascale patricia pauline perrine raymonde régine "
    "renée sabine sandrine séverine simone solange sophie stéphanie suzanne sylvie thérèse valentine valérie "
    "véronique violette virginie viviane yolande yvette yvonne zoé"
)
PERSON_WORDS = words(
    "personne gens individu enfant bébé élève étudiant étudiante professeur enseignant enseignante docteur médecin "
    "chirurgien dentiste infirmier avocat avocate juge auteur écrivain peintre poète chanteur musicien compositeur "
    "scientifique chercheur chercheuse ingénieur joueur joueuse entraîneur capitaine officier soldat général colonel "
    "sergent commandant président ministre chancelier sénateur gouverneur maire ambassadeur député députée chef "
    "patron patronne dirigeant responsable membre ami amie voisin voisine collègue camarade compagnon compagne jumeau "
    "partenaire ouvrier ouvrière employé employée propriétaire gérant directeur directrice secrétaire assistant "
    "client cliente utilisateur utilisatrice lecteur lectrice orateur auditeur hôte invité citoyen citoyenne habitant "
    "candidat candidate victime suspect témoin accusé prisonnier patient patiente expert experte participant "
    "spécialiste philosophe historien économiste psychologue biologiste chimiste physicien mathématicien architecte "
    "développeur programmeur journaliste reporter rédacteur critique électeur conducteur chauffeur pilote passager "
    "visiteur touriste adulte adolescent jeune vieillard paysan agriculteur chasseur pêcheur boulanger cuisinier "
    "tailleur marchand commerçant banquier entrepreneur athlète coureur nageur danseur danseuse voleur assassin "
    "meurtrier criminel détective espion agent gardien serviteur domestique chevalier souverain héritier ancêtre "
    "étranger étrangère ennemi adversaire vainqueur perdant prophète prédicateur réfugié immigré immigrant migrant "
    "volontaire bénévole militant politicien diplomate fondateur inventeur marin astronaute orphelin policier "
    "gendarme commissaire rapporteur cavalier gardien héros héroïne spectateur supporter disciple berger parent"
)
GROUP_WORDS = words(
    "entreprise société compagnie firme groupe agence organisation institut université école église hôpital clinique "
    "banque tribunal cour gouvernement parlement congrès sénat assemblée ministère autorité administration conseil "
    "comité commission bureau syndicat union parti fraction équipe club association orchestre bande équipage armée "
    "marine police gendarmerie famille couple foule public population communauté peuple tribu nation pays état ville "
    "village commune région fédération ligue classe génération presse restaurant magasin hôtel musée bibliothèque "
    "journal revue chaîne studio laboratoire jury majorité minorité troupe unité délégation coalition"
)
ANIMAL_WORDS = words(
    "chien chienne chat chatte cheval jument vache taureau bœuf cochon porc mouton chèvre agneau poule coq canard oie "
    "oiseau perroquet hibou aigle corbeau renard loup louve ours lion lionne tigre éléphant singe lapin lièvre souris "
    "rat cerf âne chameau grenouille serpent tortue poisson requin baleine dauphin animal bête créature dragon "
    "monstre fantôme bébé enfant"
)
PLACES = words(
    "afrique amérique asie europe australie océanie afghanistan albanie algérie allemagne angleterre arabie argentine "
    "arménie autriche belgique bolivie bosnie brésil bulgarie cambodge cameroun canada chili chine chypre colombie "
    "congo corée croatie cuba danemark écosse égypte espagne estonie éthiopie finlande france géorgie ghana grèce "
    "haïti hongrie inde indonésie irak iran irlande islande israël italie japon jordanie kenya kosovo lettonie liban "
    "libye lituanie luxembourg madagascar malaisie mali malte maroc mexique moldavie népal niger nigeria norvège "
    "nouvelle-zélande pakistan palestine panama pays-bas pérou philippines pologne portugal québec roumanie "
    "royaume-uni russie rwanda sénégal serbie singapour slovaquie slovénie somalie soudan suède suisse syrie taïwan "
    "tchad tchétchénie thaïlande tibet tunisie turquie ukraine uruguay venezuela vietnam yémen yougoslavie amsterdam "
    "athènes bagdad barcelone beijing berlin berne bordeaux boston bruxelles bucarest budapest chicago copenhague "
    "dijon dublin genève grenoble hambourg istanbul jérusalem kiev lille lisbonne londres lyon madrid marseille milan "
    "montpellier montréal moscou munich nantes naples new-york nice oslo paris pékin prague reims rennes rome rouen "
    "séville stockholm strasbourg tokyo toulouse varsovie venise vienne washington zurich bretagne normandie provence "
    "alsace lorraine corse"
)
TIMES = words(
    "lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre "
    "octobre novembre décembre noël pâques pentecôte"
)
PLACE_BEGINNINGS = words(
    "rue avenue boulevard place quai pont lac mont mer océan golfe île îles baie vallée forêt parc château palais "
    "tour gare aéroport université école lycée collège hôpital musée théâtre stade banque guerre bataille traité loi "
    "prix festival coupe ligue parti union conseil comité cour fondation centre"
)
PLACE_CASES = words("dans en près chez sur à au aux sous vers")
MOVING_CASES = words("de du des d' d’ pour par")
MOVING = words(
    "vivre habiter aller venir voyager partir arriver rester rentrer retourner fuir émigrer immigrer voler atterrir "
    "voyage vol route train avion bus provenir"
)
EMPTY_WORDS = words(
    "le la les l' l’ un une des du de d' d’ ce cet cette ces dans en à au aux sur sous par pour avec sans et ou mon "
    "ma"
    'mes ton ta tes son sa ses notre nos votre vos leur leurs , . ( ) " « » “ ” - –'
)

FRENCH = ReferringWords(
    language="fr",
    pronouns=pronouns(PRONOUN_ROWS),
    referents=REFERENTS,
    reflexive=REFLEXIVE,
    saying=SAYING,
    addressing=ADDRESSING,
    speaking=SPEAKING_WORDS,
    adverbs=ADVERBS,
    possessive=("DET", "det"),
    possessives_listed=True,
    genders=True,
    plural_shows=False,
    determiners=DETERMINERS,
    masculine=MASCULINE_WORDS,
    masculine_names=(MASCULINE_NAMES | MORE_MASCULINE_NAMES) - words("alexis andrea camille claude dominique sacha"),
    feminine=FEMININE_WORDS,
    feminine_names=(FEMININE_NAMES | MORE_FEMININE_NAMES) - words("camille claude dominique"),
    ambiguous_names=AMBIGUOUS_NAMES,
    persons=PERSON_WORDS,
    groups=GROUP_WORDS,
    animals=ANIMAL_WORDS,
    places=PLACES,
    times=TIMES,
    place_beginnings=PLACE_BEGINNINGS,
    place_cases=PLACE_CASES,
    moving_cases=MOVING_CASES,
    moving=MOVING,
    empty=EMPTY_WORDS,
)
